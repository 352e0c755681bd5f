#if AsyncHTTPClient
import AsyncHTTPClient
import CurlewCore
import Glibc
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOPosix
import NIOSSL

/// Interprets the errors of AsyncHTTPClient, SwiftNIO and NIOSSL, given the progress of the request.
struct FailureTable {
  private let cause: any Error
  private let sawHead: Bool
  private let wasWritten: Bool

  init(_ cause: any Error, sawHead: Bool, wasWritten: Bool) {
    self.cause = cause
    self.sawHead = sawHead
    self.wasWritten = wasWritten
  }

  /// The error for the reader: a `NetworkError` with the library's own as underlying, or `CancellationError`.
  var error: any Error {
    switch cause {
    case is CancellationError, is NetworkError: cause
    case let error as ServerTrustError: refused(error)
    case let error as HTTPClientError: interpret(error)
    case let error as HTTPParserError: interpret(error)
    case let error as NIOSSLError: interpret(error)
    case is NIOSSLExtraError:
      refused(ServerTrustError(.hostMismatch, message: "The server's certificate is not for this host."))
    case let error as NIOConnectionError: interpret(error)
    case is SocketAddressError: make(.nameLookupFailed, .resolving, "No address was found for the host's name.")
    case let error as IOError: interpret(error)
    case ChannelError.connectTimeout: connectTimeout
    case let error as NIOHTTP2Errors.StreamClosed: streamClosed(error.errorCode)
    case let error as NIOHTTP2Errors.StreamError:
      FailureTable(error.baseError, sawHead: sawHead, wasWritten: wasWritten).error
    case is StaleConnectionError:
      make(.connectionLost, .sending, "Bytes arrived on the connection before the request, so it was not sent.")
    case is any NIOHTTP2Error: make(.protocolViolation, stage, "The server's bytes are not valid HTTP/2.")
    default: lost
    }
  }

  /// The stage where a connection was lost; `Flight` says more where there is no head.
  private var stage: NetworkError.Stage { sawHead ? .receivingBody : .awaitingHead }

  private func interpret(_ error: HTTPClientError) -> any Error {
    switch error {
    case .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout: connectTimeout
    case .alreadyShutdown: NetworkError.shutDown
    case .bodyLengthMismatch:
      make(.bodyLengthMismatch, .sending, "The source of the request's body had another length than announced.")
    case .invalidURL, .emptyHost: make(.invalidURL, .preparing, "AsyncHTTPClient cannot read the URL.")
    default: lost
    }
  }

  private func interpret(_ error: HTTPParserError) -> NetworkError {
    switch error {
    case .invalidEOFState, .closedConnection: lost
    case .headerOverflow: make(.headerLimitExceeded, stage, "The header section is larger than SwiftNIO accepts.")
    default: make(.protocolViolation, stage, "The server's bytes are not valid HTTP: \(error).")
    }
  }

  private func interpret(_ error: NIOSSLError) -> NetworkError {
    switch error {
    case .handshakeFailed(.sslError(let stack)) where stack.contains(where: { "\($0)".contains("CERTIFICATE_VERIFY") }):
      refused(ServerTrustError(.untrusted, message: "The server's certificates are not trusted."))
    case .unableToValidateCertificate, .noCertificateToValidate:
      refused(ServerTrustError(.malformed, message: "The server presents no certificate that can be read."))
    case .handshakeFailed(.sslError(let stack))
    where !wasWritten && stack.contains(where: { "\($0)".contains("WRONG_VERSION") }):
      make(
        .handshakeFailed, .securing, "The server does not speak TLS at this port.")
    case .handshakeFailed where !wasWritten: make(.handshakeFailed, .securing, "The TLS handshake failed.")
    default: lost
    }
  }

  private func interpret(_ error: NIOConnectionError) -> NetworkError {
    if error.connectionErrors.isEmpty, error.dnsAError != nil || error.dnsAAAAError != nil {
      return make(.nameLookupFailed, .resolving, "No address was found for the host's name.")
    }
    let timedOut = error.connectionErrors.contains {
      if case ChannelError.connectTimeout = $0.error { true } else { false }
    }
    return timedOut ? connectTimeout : connectionFailed
  }

  private func interpret(_ error: IOError) -> NetworkError {
    if error.errnoCode == EMFILE || error.errnoCode == ENFILE {
      return make(.resourceExhausted, .connecting, "No file descriptor is left for a connection.")
        .with { $0.transportCode = Int(error.errnoCode) }
    }
    let found = wasWritten ? lost : error.errnoCode == ECONNRESET || error.errnoCode == EPIPE ? lost : connectionFailed
    return found.with { $0.transportCode = Int(error.errnoCode) }
  }

  private func streamClosed(_ code: HTTP2ErrorCode) -> NetworkError {
    make(.streamReset, stage, "The server reset the stream (\(code)).")
      .with { $0.transportCode = code.networkCode }
  }

  private func refused(_ error: ServerTrustError) -> NetworkError {
    make(.serverTrustRefused, .securing, error.message).with { $0.trust = error }
  }

  private var connectTimeout: NetworkError {
    make(.connectTimedOut, .connecting, "The connection was not established within its timeout.")
  }

  private var connectionFailed: NetworkError {
    make(.connectionFailed, .connecting, "The connection to the server failed.")
  }

  private var lost: NetworkError {
    sawHead
      ? make(.truncatedBody, .receivingBody, "The body ended before its announced end.")
      : make(.connectionLost, .awaitingHead, "The connection was lost before a response arrived.")
  }

  private func make(_ kind: NetworkError.Kind, _ stage: NetworkError.Stage, _ message: String) -> NetworkError {
    NetworkError(kind, stage: stage, message: message, underlying: cause)
  }
}
#endif
