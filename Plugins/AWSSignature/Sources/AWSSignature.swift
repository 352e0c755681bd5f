public import CurlewCore
public import FoundationEssentials
import HTTPTypes
import Synchronization

/// Signs requests with AWS Signature Version 4.
///
/// Put it at the place `authentication` of a chain: each request is then signed as it is sent, also after a redirect to the same origin, a
/// retry or a pause, and with the range that continues a download. A cache behind it sees the signature, so it gives no response to
/// anyone with other credentials; since each signature differs, it answers nothing either.
///
/// ```swift
/// let signature = try AWSSignature(for: ["https://birds.s3.eu-central-1.amazonaws.com"], region: "eu-central-1") {
///   try AWSCredentials(environment: ProcessInfo.processInfo.environment)
/// }
/// var chain = InterceptorChain(redirect: Redirect())
/// chain.authentication = signature
/// ```
///
/// Only requests to the origins are signed. A request that has an `Authorization` field, or `X-Amz-Signature` in its query, is sent as
/// it is. All fields are signed except for those that the transport or a proxy may change. If the clock of this machine is wrong, the server
/// refuses the first request; it is then signed with the time of the server and sent once more, and later requests are signed with that
/// time. Safe from any isolation.
public final class AWSSignature: Interceptor {
  /// What a signature says of a request's content.
  public enum Payload: Sendable, Hashable {
    /// Its hash, so that nobody can change it: the content is read twice, first to hash it.
    ///
    /// A request that already has `X-Amz-Content-Sha256` keeps that value, and its content is read once.
    case signed
    /// Nothing (`UNSIGNED-PAYLOAD`), which S3 accepts for content of any size, and other services do not.
    ///
    /// Over plain `http`, where nothing else protects the content, its hash is signed all the same.
    case unsigned
  }

  /// The origins whose requests are signed.
  public let origins: Set<Origin>
  /// The region, such as `eu-central-1`.
  public let region: String
  /// The service, such as `s3` or `execute-api`.
  public let service: String
  /// What a signature says of a request's content.
  public let payload: Payload
  private let source: CredentialSource
  /// By how many seconds the server's clock is ahead of this machine's.
  private let skew = Mutex<Double>(0)

  /// The most seconds between two clocks that a server accepts; AWS accepts five minutes, and S3 fifteen.
  private static let accepted = 240.0

  /// Creates an interceptor.
  ///
  /// - Parameters:
  ///   - urls: Whole URLs of the servers; their origins are what counts. Name `https` URLs.
  ///   - region: The region, such as `eu-central-1`.
  ///   - service: The service as it is named in signatures.
  ///   - payload: What a signature says of a request's content.
  ///   - credentials: Returns the credentials. It is called for each request, unless its last credentials have an expiry; never twice at
  ///     once. It must not make requests that this interceptor signs.
  /// - Throws: `NetworkError` of kind `invalidURL` for a text that has no origin.
  public init(
    for urls: [String], region: String, service: String = "s3", payload: Payload = .signed,
    credentials: @escaping @Sendable () async throws -> AWSCredentials
  ) throws(NetworkError) {
    var origins: Set<Origin> = []
    for text in urls {
      let request = try Request(.get, text)
      do throws(InvalidOriginError) {
        origins.insert(try request.origin)
      } catch {
        throw NetworkError(
          .invalidURL, stage: .preparing, message: error.message, advice: error.advice, underlying: error)
      }
    }
    self.origins = origins
    self.region = region
    self.service = service
    self.payload = payload
    source = CredentialSource(credentials)
  }

  /// The hook that is asked for another body, if a request is sent once more.
  public var asks: HookNames { .newBody }

  /// Signs the request, and sends it once more if the server says that the time is another one.
  ///
  /// - Throws: `NetworkError` of kind `authenticationFailed` when there are no credentials or they cannot be written, with what
  ///   `credentials` threw as its underlying error; of kind `bodyNotReplayable` when the payload is signed and can be read only once; and
  ///   the errors of the rest of the chain.
  public func intercept(_ request: Request, in exchange: Exchange, next: Next) async throws -> Response {
    guard let origin = try? request.origin, origins.contains(origin), !request.isSigned else {
      return try await next(request, in: exchange)
    }
    let used = skew.withLock { $0 }
    let response = try await send(request, to: origin, in: exchange, next, used)
    guard let ahead = skew(after: used, response.head, exchange.settings.clock) else { return response }
    var again = request
    if !request.body.isReplayable {
      guard let body = try await exchange.settings.hooks.newBody?(request) else { return response }
      again.body = body
    }
    response.body.cancel()
    return try await send(again, to: origin, in: exchange.nextHop(), next, ahead)
  }

  /// Returns a URL with a signature in its query, with which anyone can make the request until it expires.
  ///
  /// The URL is a secret. S3 does not check the content of such a request; other services check that it is the request's.
  ///
  /// - Parameters:
  ///   - request: The request to sign; whoever uses the URL must send the same fields.
  ///   - lifetime: How long the URL is valid, from a second to seven days, in whole seconds. Temporary credentials may end earlier.
  ///   - clock: The clock that signs.
  /// - Throws: `NetworkError` as `intercept`, and of kind `invalidRequest` for a lifetime out of range, or a URL without an origin.
  public func presignedURL(
    for request: Request, lifetime: Duration = .seconds(3600), clock: any NetworkClock = .system
  ) async throws -> URL {
    let seconds = lifetime.components.seconds
    guard (1...604_800).contains(seconds) else {
      throw NetworkError(
        .invalidRequest, stage: .preparing, message: "A signed URL is valid for a second to seven days.")
    }
    let origin = try origin(of: request)
    let signer = try await signer(at: clock.date.addingTimeInterval(skew.withLock { $0 }))
    let hash = Signer.signsObjects(service) ? "" : try await PayloadHash.of(request.body)
    return try signer.presigned(request, to: origin, payload: hash, lifetime: seconds)
  }

  private func origin(of request: Request) throws(NetworkError) -> Origin {
    do throws(InvalidOriginError) {
      return try request.origin
    } catch {
      throw NetworkError(
        .invalidRequest, stage: .preparing, message: error.message, advice: error.advice, underlying: error)
    }
  }

  /// Signs and sends a request.
  ///
  /// - Parameter skew: By how many seconds the time of the signature is ahead of the clock.
  private func send(
    _ request: Request, to origin: Origin, in exchange: Exchange, _ next: Next, _ skew: Double
  ) async throws -> Response {
    let signer = try await signer(at: exchange.settings.clock.date.addingTimeInterval(skew))
    let signed = try signer.signed(request, to: origin, payload: try await hash(of: request, to: origin))
    do {
      return try await next(signed, in: exchange)
    } catch let error as NetworkError where error.details.request != nil {
      // Errors carry the fields that the app has set, not the signature.
      throw error.with { details in
        for name in [HTTPField.Name.authorization, .amzSecurityToken] {
          details.request?.headerFields[name] = request.headerFields[name]
        }
      }
    }
  }

  private func hash(of request: Request, to origin: Origin) async throws -> String {
    if let given = request.headerFields[.amzContentSHA256] { return given }
    if payload == .unsigned, origin.scheme == .https { return PayloadHash.unsigned }
    return try await PayloadHash.of(request.body)
  }

  private func signer(at date: Date) async throws -> Signer {
    do {
      return try Signer(try await source.credentials(at: date), region: region, service: service, at: date)
    } catch let error as CancellationError {
      throw error
    } catch {
      throw NetworkError(
        .authenticationFailed, stage: .preparing, message: "There are no AWS credentials that can sign the request.",
        underlying: error)
    }
  }

  /// Returns the skew of a server that refuses a signature and has another time; nil if the time is not the reason.
  ///
  /// Later requests are signed with it.
  private func skew(after used: Double, _ head: ResponseHead, _ clock: any NetworkClock) -> Double? {
    guard [400, 401, 403].contains(head.status.code), head.source == .network,
      let text = head.headerFields[.date], let server = HTTPDate(text, now: HTTPDate(clock.date))
    else { return nil }
    let ahead = Double(server.secondsSince1970) - clock.date.timeIntervalSince1970
    guard abs(ahead - used) > Self.accepted else { return nil }
    skew.withLock { $0 = ahead }
    return ahead
  }
}

extension Request {
  /// Whether someone has already signed the request or given it other credentials.
  fileprivate var isSigned: Bool {
    headerFields[.authorization] != nil || url.query()?.contains("X-Amz-Signature=") == true
  }
}
