// libcurl declares its handles as `void`: since 8.11 in every build, before unless a program asks for types of its own.

/// A handle for one request (`CURL *`).
typealias EasyHandle = UnsafeMutableRawPointer
/// A handle for many requests (`CURLM *`).
typealias MultiHandle = UnsafeMutableRawPointer
