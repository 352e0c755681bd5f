#if AsyncHTTPClient
import CurlewCore
import FoundationEssentials
import HTTPTypes
import NIOHTTP1

/// Creates a head from AsyncHTTPClient's response.
///
/// Heads whose framing could be read in two ways are rejected (RFC 9112 §6.1, §6.3).
struct HeadReader {
  private let plan: SendPlan

  init(_ plan: SendPlan) { self.plan = plan }

  /// Returns a head.
  func head(_ status: HTTPResponseStatus, _ version: HTTPVersion, _ headers: HTTPHeaders) -> ResponseHead {
    let fields = HTTPFields(headers)
    let code = Int(status.code)
    let isEmpty = plan.request.method == .head || code == 204 || code == 304
    let length = fields[.transferEncoding] == nil ? (try? ContentLength(of: fields))?.value : nil
    return ResponseHead(
      url: plan.request.url, status: self.status(status), version: version.curlew, headerFields: fields,
      expectedLength: isEmpty ? 0 : length)
  }

  /// Checks the head of a final response before AsyncHTTPClient reads on.
  ///
  /// - Throws: `NetworkError` of kind `protocolViolation`.
  func check(_ head: HTTPResponseHead) throws(NetworkError) {
    let code = Int(head.status.code)
    guard (200...999).contains(code) || code == 101 else {
      throw violation("The status is not a number of three digits.")
    }
    let fields = HTTPFields(head.headers)
    if let coding = fields[.transferEncoding]?.lowercased() {
      guard fields[.contentLength] == nil else {
        throw violation("The response has a Content-Length beside a Transfer-Encoding.")
      }
      guard coding == "chunked" || coding == "identity" else {
        throw violation("The transfer coding \(coding) was not asked for.")
      }
    }
    do throws(FieldError) {
      _ = try ContentLength(of: fields)
    } catch {
      throw violation("The Content-Length is not a number, or occurs more than once.")
    }
  }

  private func status(_ status: HTTPResponseStatus) -> HTTPResponse.Status {
    let code = Int(status.code)
    let phrase = status.reasonPhrase.isEmpty ? ReasonPhrase.standard(code) : status.reasonPhrase
    return HTTPResponse.Status(code: code, reasonPhrase: phrase)
  }

  private func violation(_ message: String) -> NetworkError {
    NetworkError(.protocolViolation, stage: .awaitingHead, message: message)
  }
}

extension HTTPVersion {
  /// The version in Curlew's terms; nil for one that it does not name.
  var curlew: ResponseHead.Version? {
    switch (major, minor) {
    case (1, 0): .http10
    case (1, 1): .http11
    case (2, _): .http2
    default: nil
    }
  }
}

extension HTTPFields {
  /// Creates fields from AsyncHTTPClient's, in order; a field whose name is not a token is left out.
  init(_ headers: HTTPHeaders) {
    self.init()
    for (text, value) in headers {
      guard let name = HTTPField.Name(text) else { continue }
      append(HTTPField(name: name, lenientValue: Array(value.utf8)))
    }
  }
}
#endif
