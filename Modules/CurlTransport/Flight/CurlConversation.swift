import CLibcurl
import COpenSSL
import CurlewCore
import FoundationEssentials
import Glibc
import HTTPTypes

/// A two-way connection that libcurl has made, and whose bytes the loop moves (`CURLOPT_CONNECT_ONLY`).
///
/// libcurl no longer watches the socket, so the loop does. The easy handle stays in the multi handle, because the connection ends with it.
/// The first call of `curl_easy_recv` binds the connection to the handle again; until then another request could close it as idle.
// Safe because only the loop's thread uses the mutable state.
final class CurlConversation: DuplexDriver, @unchecked Sendable {
  /// How many pieces are received before the loop does its other work.
  private static let piecesOfATurn = 16

  let channel = DuplexChannel()
  private let loop: EventLoop
  private let descriptor: Int32
  private let url: URL
  /// Whether the connection is made over TLS.
  private let isSecured: Bool
  /// What was verified; it knows whether the peer has said that it ends.
  private let seal: VerifiedTag?
  private let keeper: LoopKeeper
  private var easy: EasyHandle?
  /// The bytes that are being sent; after `CURLE_AGAIN` OpenSSL wants the same ones, at the same place.
  private var pending: [UInt8] = []
  private var sent = 0
  private var awaitsWriting = false
  private var isPaused = false
  private var isAtEnd = false
  /// Whether a posted command is to receive more.
  private var goesOn = false

  init(_ flight: CurlFlight, _ easy: EasyHandle, _ descriptor: Int32, _ keeper: LoopKeeper) {
    url = flight.plan.request.url
    isSecured = flight.plan.trust != nil
    seal = flight.seal
    self.easy = easy
    self.descriptor = descriptor
    self.keeper = keeper
    loop = flight.loop
    channel.connect(self)
    // Before any byte is moved, because the end of the connection releases the handle.
    flight.leave(easy)
  }

  // MARK: From any thread

  func resumeReceiving() { loop.post(.resume(self, receiving: true)) }
  func resumeSending() { loop.post(.resume(self, receiving: false)) }
  func stop() { loop.post(.endConversation(self)) }

  // MARK: On the loop's thread

  func resume(receiving: Bool) {
    if receiving { isPaused = false }
    if receiving || goesOn { receive() }
    if !receiving { send() }
    watch()
  }

  /// Moves bytes in both directions as far as possible.
  func advance() {
    if awaitsWriting { send() }
    receive()
    watch()
  }

  private func send() {
    awaitsWriting = false
    while let easy {
      if sent == pending.count {
        sent = 0
        switch channel.nextToSend() {
        case .bytes(let bytes): pending = [UInt8](bytes)
        case .wait:
          pending = []
          return
        case .close: return end(nil)
        }
      }
      var count = 0
      let result = pending.withUnsafeBytes { bytes in
        curl_easy_send(easy, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, &count)
      }
      switch result {
      case CURLE_OK:
        sent += count
        channel.sent(count)
      case CURLE_AGAIN:
        awaitsWriting = true
        return
      default: return end(lost(result))
      }
    }
  }

  private func receive() {
    goesOn = false
    var pieces = 0
    while let easy, !isPaused, !isAtEnd {
      if pieces == Self.piecesOfATurn {
        // Posted, because no event tells of bytes that TLS has already taken from the socket.
        goesOn = true
        loop.post(.resume(self, receiving: false))
        return
      }
      pieces += 1
      var count = 0
      let result = loop.withPiece { piece in
        let result = curl_easy_recv(easy, piece.baseAddress, piece.count, &count)
        guard result == CURLE_OK, count > 0 else { return result }
        switch channel.put(UnsafeRawBufferPointer(rebasing: piece[..<count])) {
        case .more: break
        case .pause: isPaused = true
        // `stop` was posted, too.
        case .gone: isPaused = true
        }
        return result
      }
      switch result {
      // Over TCP an event tells of what one read has left, but none tells of bytes that TLS has already taken from the socket.
      case CURLE_OK where count > 0: if !isSecured, count < CurlFlight.largeBuffer { return }
      case CURLE_OK where seal.map({ $0.sawCloseNotify }) ?? true:
        isAtEnd = true
        channel.endReceiving()
      case CURLE_AGAIN: return
      default: return end(lost(result))
      }
    }
  }

  /// Has the loop watch the socket for what is missing.
  ///
  /// A socket without any wish is not watched at all: its end would wake the loop again and again.
  private func watch() {
    guard easy != nil else { return }
    var mask: UInt32 = 0
    if !isPaused, !isAtEnd { mask |= EPOLLIN.rawValue }
    if awaitsWriting { mask |= EPOLLOUT.rawValue }
    if mask == 0 { loop.sockets.unregister(descriptor) } else { loop.sockets.register(descriptor, for: mask) }
  }

  private func lost(_ result: CURLcode) -> NetworkError {
    NetworkError(.connectionLost, stage: .receivingBody, message: "The connection was lost.").with { details in
      details.request = Request(.get, url)
      details.maybeProcessed = true
      details.connectionReused = false
      if result != CURLE_OK { details.transportCode = Int(result.rawValue) }
    }
  }

  /// Ends the connection, and tells the app.
  func end(_ error: (any Error)?) {
    guard let easy else { return }
    self.easy = nil
    sayGoodbye(easy)
    loop.forget(self, at: descriptor)
    loop.sockets.unregister(descriptor)
    curl_multi_remove_handle(loop.multi, easy)
    curl_easy_cleanup(easy)
    channel.finish(error)
  }

  /// Tells a TLS peer that the end is intended (RFC 8446 §6.1), which libcurl leaves out for such connections since version 8.
  private func sayGoodbye(_ easy: EasyHandle) {
    guard isSecured, let ssl = curlew_get_ssl(easy).map({ OpaquePointer($0) }) else { return }
    // libcurl's own way to the socket works only during its calls, and the BIO of a socket would raise SIGPIPE.
    guard let alert = BIO_new(BIO_s_mem()) else { return }
    SSL_set0_wbio(ssl, alert)
    SSL_shutdown(ssl)
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = BIO_read(alert, &bytes, Int32(bytes.count))
    if count > 0 { _ = Glibc.send(descriptor, bytes, Int(count), Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) }
    ERR_clear_error()
  }
}

extension EventLoop {
  /// Takes over the connection that libcurl has made for a flight.
  ///
  /// - Returns: False if libcurl has no connection for it any more.
  func converse(_ flight: CurlFlight, _ easy: EasyHandle, _ keeper: LoopKeeper) -> CurlConversation? {
    let descriptor = curlew_active_socket(easy)
    guard descriptor >= 0 else { return nil }
    let conversation = CurlConversation(flight, easy, descriptor, keeper)
    conversations[descriptor] = conversation
    keepConnections()
    conversation.advance()
    return conversation
  }

  func forget(_ conversation: CurlConversation, at descriptor: Int32) {
    if conversations[descriptor] === conversation { conversations[descriptor] = nil }
    keepConnections()
  }

  /// Lets libcurl keep as many idle connections as without conversations, which it counts among them.
  private func keepConnections() {
    curlew_multi_set_long(multi, CURLMOPT_MAXCONNECTS, configuration.connectionsKept + conversations.count)
  }

  /// Ends all conversations, before the loop ends.
  func endConversations() {
    for conversation in conversations.values { conversation.end(NetworkError.shutDown) }
  }
}

extension CurlFlight {
  /// Connects, and returns the connection.
  nonisolated(nonsending) func connection() async throws -> DuplexConnection {
    do {
      // The head only stands for the connection; nothing of HTTP was sent.
      let response = try await response()
      response.body.cancel()
    } catch {
      // The connection may have been made in the same moment.
      stopProducing()
      throw error
    }
    // The loop set it before the head arrived, and does not use it afterwards.
    guard let made else { throw NetworkError.shutDown }
    self.made = nil
    return made
  }

  /// Ends a flight whose connection is made, and hands the connection over.
  func connected(_ easy: EasyHandle) {
    let metrics = measured(easy)
    guard let keeper = releaseKeeper(), let conversation = loop.converse(self, easy, keeper) else {
      return landed(CURLE_COULDNT_CONNECT, ended: true)
    }
    leaveLane()
    self.easy = nil
    self.conversation = conversation
    phase.take(.ends)
    made = DuplexConnection(conversation.channel, metrics: metrics)
    channel.setHead(ResponseHead(url: plan.request.url, status: .init(code: 101)))
    channel.finish(nil)
  }

  /// Makes a handle forget this flight, which the connection can outlive.
  ///
  /// None of what it forgets is used after the connection was made.
  fileprivate func leave(_ easy: EasyHandle) {
    for option in [
      CURLOPT_PRIVATE, CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_PREREQDATA, CURLOPT_READDATA,
      CURLOPT_OPENSOCKETDATA, CURLOPT_ERRORBUFFER, CURLOPT_SSL_CTX_DATA, CURLOPT_DEBUGDATA,
    ] { curlew_set_pointer(easy, option, nil) }
    for option in [CURLOPT_HTTPHEADER, CURLOPT_PROXYHEADER, CURLOPT_CONNECT_TO] { curlew_set_list(easy, option, nil) }
  }
}
