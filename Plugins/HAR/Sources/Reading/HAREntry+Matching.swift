public import CurlewCore
import CurlewJSON
public import FoundationEssentials
import HTTPTypes

/// The parts of a request that must be the same as in a recording.
public struct HARMatching: OptionSet, Sendable, Hashable {
  /// The raw value of the set.
  public let rawValue: UInt8
  /// Creates a set from a raw value.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The method.
  public static let method = HARMatching(rawValue: 1)
  /// The URL without its fragment.
  public static let url = HARMatching(rawValue: 2)
  /// The header fields, in any order of their names.
  public static let fields = HARMatching(rawValue: 4)
  /// The content, if it was recorded.
  public static let content = HARMatching(rawValue: 8)

  /// Method and URL, for a recording of another program, whose fields are others.
  public static let requestLine: HARMatching = [.method, .url]
  /// Everything.
  public static let strict: HARMatching = [.method, .url, .fields, .content]
}

extension HAREntry {
  /// Returns how a request differs from the recorded one, a phrase for each difference without secrets; empty if it does not.
  ///
  /// Secrets are replaced before the comparison, so that a recording without them matches a request with any.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - content: The bytes of its body.
  ///   - matching: The parts that are compared.
  ///   - redaction: Which secrets the recording lacks; nil if it has them.
  public func differences(
    from request: Request, content: Data, matching: HARMatching = .strict, redaction: Redaction? = .standard
  ) -> [String] {
    var differences: [String] = []
    if matching.contains(.method), request.method != self.request.method {
      differences.append("the method is \(request.method.rawValue), not \(self.request.method.rawValue)")
    }
    if matching.contains(.url) {
      let (asked, recorded) = (shown(request.url, redaction), shown(self.request.url, redaction))
      if asked != recorded { differences.append("the URL is \(asked), not \(recorded)") }
    }
    if matching.contains(.fields) {
      differences += Self.differences(
        redaction?.redacted(request.headerFields) ?? request.headerFields,
        redaction?.redacted(self.request.headerFields) ?? self.request.headerFields)
    }
    if matching.contains(.content), let difference = difference(of: content, request, redaction) {
      differences.append(difference)
    }
    return differences
  }

  private func shown(_ url: URL, _ redaction: Redaction?) -> String {
    let text = (redaction?.redacted(url) ?? url.absoluteString).prefix { $0 != "#" }
    return String(text).split(separator: Redaction.mark, omittingEmptySubsequences: false).joined(
      separator: "%3Credacted%3E")
  }

  private static func differences(_ asked: HTTPFields, _ recorded: HTTPFields) -> [String] {
    var names: [HTTPField.Name] = []
    for field in asked + recorded where !names.contains(field.name) { names.append(field.name) }
    return names.compactMap { name in
      let (has, had) = (asked[values: name], recorded[values: name])
      if has == had { return nil }
      if had.isEmpty { return "the field \(name) is new" }
      if has.isEmpty { return "the field \(name) is missing" }
      return "the field \(name) is '\(has.joined(separator: ", "))', not '\(had.joined(separator: ", "))'"
    }
  }

  /// Returns content in which a secret of any length is one star.
  private static func withShortSecrets(_ content: Data) -> [UInt8] {
    var short: [UInt8] = []
    short.reserveCapacity(content.count)
    for byte in content where byte != UInt8(ascii: "*") || short.last != byte { short.append(byte) }
    return short
  }

  private func difference(of content: Data, _ request: Request, _ redaction: Redaction?) -> String? {
    guard value["request"]?["postData"] != nil, case .bytes(let recorded) = self.request.body.source else {
      // A size of -1 says that it is unknown, as after an upload that was cut off.
      let size = value["request"]?["bodySize"]?.intValue ?? -1
      return size == 0 && !content.isEmpty ? "it has content, which the recorded one has not" : nil
    }
    let type = request.headerFields[.contentType]
    let asked =
      redaction.map { ContentMask(redaction: $0, request: request).masked(content, type: type) ?? content } ?? content
    guard asked != recorded, redaction == nil || Self.withShortSecrets(asked) != Self.withShortSecrets(recorded) else {
      return nil
    }
    let place =
      zip(asked, recorded).enumerated().first { $0.element.0 != $0.element.1 }?.offset
      ?? min(asked.count, recorded.count)
    return "the content differs from byte \(place) (\(asked.count) bytes, not \(recorded.count))"
  }
}
