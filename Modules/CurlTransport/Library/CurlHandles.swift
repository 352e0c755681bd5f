// libcurl declares its handles as `void`: since 8.11 always, before unless a program requests separate types.

/// A handle for one request (`CURL *`).
typealias EasyHandle = UnsafeMutableRawPointer
/// A handle for many requests (`CURLM *`).
typealias MultiHandle = UnsafeMutableRawPointer
