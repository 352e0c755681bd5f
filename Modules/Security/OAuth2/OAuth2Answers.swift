import CurlewCore
import FoundationEssentials

/// The JSON of a token (RFC 6749 §5.1).
struct TokenAnswer: Decodable {
  var accessToken: String
  var tokenType: String
  var expiresIn: Lifetime?
  var refreshToken: String?
  var scope: String?
}

extension Unicode.Scalar {
  /// Whether it is safe in a terminal, because it is no control character.
  var isShowable: Bool { value >= 0x20 && !(0x7F...0x9F).contains(value) }
}

/// The JSON of an error (RFC 6749 §5.2).
struct ErrorAnswer: Decodable {
  var error: String
  var errorDescription: String?
  var errorUri: String?

  /// Whether the error's word has the characters that the RFC allows, and few.
  var isValid: Bool {
    !error.isEmpty && error.utf8.count <= 100
      && error.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
  }

  private static let longestText = 500

  /// Returns the error without secrets that the server repeats.
  func error(_ status: Int, hiding secrets: [String]) -> OAuth2Error {
    let message = Self.shown(errorDescription, hiding: secrets)
    let kind = Self.shown(self.error, hiding: secrets) ?? ""
    return OAuth2Error(
      .init(rawValue: kind), status: status,
      message: "The authorization server refuses (\(kind))" + (message.map { ": " + $0 } ?? "."),
      page: Self.shown(errorUri, hiding: secrets))
  }

  private static func shown(_ text: String?, hiding secrets: [String]) -> String? {
    guard let text, !text.isEmpty, text.utf8.count <= 100_000 else { return nil }
    var shown = String(String.UnicodeScalarView(text.unicodeScalars.filter(\.isShowable)))
    // By scalars, since a mark behind a secret would make its end a part of another character.
    for secret in secrets where !secret.isEmpty {
      let hidden = shown.unicodeScalars.split(separator: secret.unicodeScalars, omittingEmptySubsequences: false)
      shown = hidden.map { String($0) }.joined(separator: "…")
    }
    return String(shown.prefix(longestText))
  }
}

/// The JSON of a device code (RFC 8628 §3.2).
struct DeviceAnswer: Decodable {
  var deviceCode: String
  var userCode: String
  var verificationUri: String?
  /// The name that drafts of the RFC used, and some servers still do.
  var verificationUrl: String?
  var verificationUriComplete: String?
  var expiresIn: Lifetime
  var interval: Lifetime?
}

/// A number of seconds, which some servers write as a text.
struct Lifetime: Decodable {
  /// The seconds, from 0 to a hundred years.
  let seconds: Double

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let value = try (try? container.decode(Double.self)) ?? Double(container.decode(String.self))
    guard let value, !value.isNaN else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected a number of seconds")
    }
    seconds = min(max(value, 0), 3_155_760_000)
  }
}

extension Decodable {
  /// Reads the content of an answer, whose names have underscores; nil if it is no such JSON.
  static func read(_ content: Data) -> Self? {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try? decoder.decode(Self.self, from: content)
  }
}
