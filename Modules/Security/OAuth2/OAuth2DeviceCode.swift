import CurlewCore
public import FoundationEssentials

/// What a user needs to sign in on another device (RFC 8628 §3.2).
///
/// Descriptions and dumps do not show the device code, which is a secret.
public struct OAuth2DeviceCode: Sendable, CustomStringConvertible, CustomReflectable {
  /// The code to enter there.
  public let userCode: String
  /// The address of the page to open.
  public let page: String
  /// The address of the page with the code already in it, such as for a QR code; nil if the server gives none.
  public let pageWithCode: String?
  /// When the code ends.
  public let expires: Date
  let deviceCode: String
  let interval: Duration

  /// The page and the user's code.
  public var description: String { "Open \(page) and enter \(userCode)." }

  /// The page, without the codes.
  public var customMirror: Mirror { Mirror(self, children: ["page": page, "expires": expires]) }
}

extension OAuth2Client {
  /// Signs a user in who has a browser elsewhere, as command-line tools do (RFC 8628).
  ///
  /// ```swift
  /// let token = try await client.login(at: "https://login.example.com/device") { code in print(code) }
  /// ```
  ///
  /// It asks the server whether the user has answered as often as the server allows, and less often when it is told to or a request times
  /// out. It ends with the task.
  ///
  /// - Parameters:
  ///   - endpoint: The URL of the device authorization endpoint.
  ///   - show: Shows the page and the code to the user. It is called once.
  /// - Throws: `OAuth2Error`, of kind `accessDenied` when the user refuses, and `expiredToken` when the code ends first; `NetworkError` of
  ///   kind `invalidURL` for the endpoint; the errors of `show` and of `send`; `CancellationError`.
  public func login(
    at endpoint: String, show: @Sendable (OAuth2DeviceCode) async throws -> Void
  ) async throws -> OAuth2Token {
    let code = try await deviceCode(at: Self.endpoint(endpoint))
    try await show(code)
    var interval = code.interval
    while true {
      let rest = Duration.seconds(max(0, code.expires.timeIntervalSince(clock.date)))
      try await clock.sleep(until: clock.now.advanced(by: min(interval, rest)))
      guard clock.date < code.expires else {
        throw OAuth2Error(
          .expiredToken, status: nil, message: "Nobody has signed in before the code ended, so begin again.")
      }
      do {
        let grant = "urn:ietf:params:oauth:grant-type:device_code"
        return try await token(
          ["grant_type": grant, "device_code": code.deviceCode], hiding: [code.deviceCode])
      } catch let error as OAuth2Error where error.kind == .authorizationPending {
        continue
      } catch let error as OAuth2Error where error.kind == .slowDown {
        interval += .seconds(5)
      } catch let error as NetworkError where error.isTimeout {
        // RFC 8628 §3.5 asks for twice the interval.
        interval *= 2
      }
    }
  }

  private func deviceCode(at endpoint: URL) async throws -> OAuth2DeviceCode {
    let date = clock.date
    // `client_id` is required from clients without a secret; one with a secret proves itself, too (RFC 8628 §3.1).
    let (content, head) = try await post(["client_id": id, "scope": scope], to: endpoint)
    guard let answer = DeviceAnswer.read(content), !answer.deviceCode.isEmpty,
      !answer.userCode.isEmpty, let page = answer.verificationUri ?? answer.verificationUrl,
      [page, answer.verificationUriComplete ?? page, answer.userCode].allSatisfy(Self.isShowable)
    else { throw malformed(head, "no device code") }
    return OAuth2DeviceCode(
      userCode: answer.userCode, page: page, pageWithCode: answer.verificationUriComplete,
      expires: date.addingTimeInterval(answer.expiresIn.seconds), deviceCode: answer.deviceCode,
      interval: .seconds(min(max(answer.interval?.seconds ?? 5, 1), 3600)))
  }

  /// Whether a text can be shown in a terminal.
  private static func isShowable(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy(\.isShowable)
  }
}
