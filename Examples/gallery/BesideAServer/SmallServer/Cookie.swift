/// A cookie of a request or a response.
public struct Cookie: Sendable, Equatable {
  /// The name.
  public var name: String
  /// The value.
  public var value: String

  /// Creates a cookie.
  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}

extension Request {
  /// The cookies of the field `Cookie` (RFC 6265 §4.2).
  public var cookies: [Cookie] {
    (headerFields["cookie"] ?? "").split(separator: ";").compactMap { pair in
      let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
      return parts.count == 2 ? Cookie(name: String(parts[0]), value: String(parts[1])) : nil
    }
  }
}

extension Response {
  /// Sets a cookie.
  public mutating func set(_ cookie: Cookie) { headerFields["set-cookie"] = "\(cookie.name)=\(cookie.value)" }
}
