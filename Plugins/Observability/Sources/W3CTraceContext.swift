#if Observability
/// A trace and the span in it that a request belongs to, as W3C Trace Context writes them in fields.
public struct W3CTraceContext: Sendable, Hashable {
  /// The identity of the trace: 32 hexadecimal digits in lower case, not all 0.
  public let traceID: String
  /// The identity of the span: 16 hexadecimal digits in lower case, not all 0.
  public let parentID: String
  /// Whether the caller may have recorded the trace.
  public let isSampled: Bool
  /// The value of `tracestate`, which vendors write; nil without one.
  public let state: String?

  /// The most bytes of `tracestate` that are kept (W3C Trace Context §3.3.1.5).
  public static let maximumStateBytes = 512

  /// Creates a context; nil if an identity is not valid.
  ///
  /// A `tracestate` of more than 512 bytes, or with control characters, is left out.
  public init?(traceID: String, parentID: String, isSampled: Bool = true, state: String? = nil) {
    guard Self.isIdentity(traceID, digits: 32), Self.isIdentity(parentID, digits: 16) else { return nil }
    self.traceID = traceID
    self.parentID = parentID
    self.isSampled = isSampled
    let isClean = state.map { text in
      !text.isEmpty && text.utf8.count <= Self.maximumStateBytes && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
    self.state = isClean == true ? state : nil
  }

  /// Reads the fields of a request; nil if `traceparent` is not valid (§3.2).
  ///
  /// A version later than 00 may have more parts, which are ignored.
  public init?(traceparent: String, tracestate: String? = nil) {
    let parts = traceparent.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count >= 4, Self.isHexadecimal(parts[0], digits: 2), parts[0] != "ff",
      parts.count == 4 || parts[0] != "00", Self.isHexadecimal(parts[3], digits: 2),
      let flags = UInt8(parts[3], radix: 16)
    else { return nil }
    self.init(
      traceID: String(parts[1]), parentID: String(parts[2]), isSampled: flags & 1 == 1, state: tracestate)
  }

  /// The value of the field `traceparent`.
  public var traceparent: String { "00-\(traceID)-\(parentID)-\(isSampled ? "01" : "00")" }

  private static func isIdentity(_ text: String, digits: Int) -> Bool {
    isHexadecimal(text[...], digits: digits) && text.utf8.contains { $0 != UInt8(ascii: "0") }
  }

  private static func isHexadecimal(_ text: Substring, digits: Int) -> Bool {
    text.utf8.count == digits
      && text.utf8.allSatisfy {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
      }
  }
}
#endif
