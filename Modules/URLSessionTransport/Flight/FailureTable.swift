import CurlewCore
import Foundation
import FoundationNetworking

/// Interprets Foundation's errors, given the progress of the request.
///
/// Foundation maps most of libcurl's codes to −1 and some wrongly (a truncated body is −1004 if another address of the host
/// refused before). It does pass on libcurl's own message, which says more.
struct FailureTable {
  private let code: Int
  private let text: String
  private let sawHead: Bool
  private let isSecure: Bool
  private let handed: Int64

  init(_ error: any Error, sawHead: Bool, isSecure: Bool, handed: Int64) {
    let error = error as NSError
    code = error.code
    text = error.userInfo[NSLocalizedDescriptionKey] as? String ?? ""
    self.sawHead = sawHead
    self.isSecure = isSecure
    self.handed = handed
  }

  var error: NetworkError { found.with { $0.transportCode = code } }

  private var found: NetworkError {
    if sawHead { return inBody }
    return beforeConnection ?? inHandshake ?? inHead ?? lost
  }

  // MARK: Before the connection

  private var beforeConnection: NetworkError? {
    guard handed == 0 else { return nil }
    if says("Could not resolve", "Couldn't resolve") || code == NSURLErrorCannotFindHost {
      return make(.nameLookupFailed, .resolving, "No address was found for the host's name")
    }
    if says("Too many open files", "No file descriptors", "Couldn't open socket") {
      return make(.resourceExhausted, .connecting, "No file descriptor is left for a connection")
    }
    if code == NSURLErrorTimedOut || says("Connection timed out", "Connection timeout", "Resolving timed out") {
      return make(.connectTimedOut, .connecting, "The connection was not established within the connect timeout")
    }
    if says("Failed to connect", "Couldn't connect", "Immediate connect fail") || code == NSURLErrorCannotConnectToHost
    {
      return make(.connectionFailed, .connecting, "The connection to the server failed")
    }
    return nil
  }

  private var inHandshake: NetworkError? {
    guard isSecure, handed == 0 else { return nil }
    if says("certificate", "subject name") {
      let trust = ServerTrustError(trustReason, message: "The server's certificates are not trusted.")
      return make(.serverTrustRefused, .securing, "The server's certificates are not trusted").with { $0.trust = trust }
    }
    guard says("SSL_connect", "SSL connect", "error:", "handshake", "TLS connect", "SSL:", "ALPN") else { return nil }
    guard !says("wrong version number", "packet length too long", "record layer failure") else {
      return make(
        .handshakeFailed, .securing,
        "The server does not speak TLS at this port"
      )
    }
    return make(.handshakeFailed, .securing, "The TLS handshake failed")
  }

  private var trustReason: ServerTrustError.Reason {
    if says("expired") { return .expired }
    if says("not yet valid") { return .notYetValid }
    return says("subject name", "hostname") ? .hostMismatch : .untrusted
  }

  // MARK: In the head

  private var inHead: NetworkError? {
    if says("Out of memory", "Too large", "too large", "Too long") {
      return make(.headerLimitExceeded, .awaitingHead, "The header section is larger than libcurl accepts")
    }
    if code == NSURLErrorUnsupportedURL || code == NSURLErrorBadURL
      || says("HTTP/0.9", "Unsupported", "without colon", "Content-Length", "Weird server", "Nul byte", "Invalid")
    {
      return make(.protocolViolation, .awaitingHead, "The server's bytes are not valid HTTP")
    }
    if says("writing header", "writing output", "writing received data", "Failure writing") {
      return make(.protocolViolation, .awaitingHead, "Foundation cannot read the header section")
    }
    return nil
  }

  private var lost: NetworkError {
    make(.connectionLost, .awaitingHead, "The connection was lost before a response arrived")
  }

  // MARK: In the body

  private var inBody: NetworkError {
    if says("unencoding", "content encoding") {
      return make(.contentDecodingFailed, .receivingBody, "The body's content coding cannot be decoded")
    }
    if says("chunked-encoding", "hexadecimal", "chunk hex") {
      return make(.protocolViolation, .receivingBody, "The body's chunks violate RFC 9112 §7.1")
    }
    if says("HTTP/2 stream", "HTTP2", "INTERNAL_ERROR", "REFUSED_STREAM") {
      return make(.streamReset, .receivingBody, "The server reset the stream")
    }
    if says("Too large", "too large", "Out of memory") {
      return make(.headerLimitExceeded, .receivingBody, "The trailers are larger than libcurl accepts")
    }
    return make(.truncatedBody, .receivingBody, "The body ended before its announced length")
  }

  // MARK: Words

  private func says(_ needles: String...) -> Bool { needles.contains { text.contains($0) } }

  /// Returns an error whose message ends with libcurl's own.
  private func make(_ kind: NetworkError.Kind, _ stage: NetworkError.Stage, _ sentence: String) -> NetworkError {
    NetworkError(kind, stage: stage, message: text.isEmpty ? sentence + "." : "\(sentence): \(text).")
  }
}
