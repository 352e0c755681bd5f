public import CurlewCore
import CurlewJSON
import FoundationEssentials
public import HTTPTypes

// What Curlew records beyond HAR.

extension HAREntry {
  /// The pieces in which the body arrived: their sizes, and the time of each since the head; empty if they are unknown.
  public var pieces: [(bytes: Int, after: Duration)] {
    (own?["pieces"]?.arrayValue ?? []).compactMap { piece in
      guard let bytes = piece[0]?.intValue, bytes > 0 else { return nil }
      return (bytes, Self.time(piece[1]?.doubleValue ?? 0))
    }
  }

  /// The time from the request to the head, as far as it is known.
  public var untilHead: Duration {
    Self.time(timings.filter { $0.name != "receive" && $0.name != "ssl" }.reduce(0) { $0 + $1.milliseconds })
  }

  /// Returns a time of a file, from zero to about 31 years; what is no number is zero.
  private static func time(_ milliseconds: Double) -> Duration {
    milliseconds > 0 ? .seconds(min(milliseconds / 1000, 1e9)) : .zero
  }

  /// The trailer fields; nil without them.
  public var trailers: HTTPFields? { own?["trailers"].map { Self.fields($0) } }

  /// The informational responses before the final one.
  public var informational: [HTTPResponse] {
    (own?["informational"]?.arrayValue ?? []).compactMap { head in
      guard let code = head["status"]?.intValue, (100...199).contains(code) else { return nil }
      return HTTPResponse(status: HTTPResponse.Status(code: code), headerFields: Self.fields(head["headers"]))
    }
  }

  /// The error that ended the sending; nil if none did.
  public var failure: NetworkError? {
    guard let recorded = own?["error"], let kind = recorded["kind"]?.stringValue else {
      guard head == nil, let error else { return nil }
      return NetworkError(.connectionFailed, stage: .connecting, message: error)
    }
    let stage = recorded["stage"]?.stringValue.flatMap(NetworkError.Stage.init) ?? .receivingBody
    return NetworkError(
      NetworkError.Kind(rawValue: kind), stage: stage,
      message: recorded["message"]?.stringValue ?? "The sending failed."
    ).with { details in
      details.maybeProcessed = recorded["maybeProcessed"]?.boolValue ?? true
      details.connectionReused = connectionReused
      details.bytesReceived = Int64(recorded["bytesReceived"]?.intValue ?? 0)
    }
  }

  /// Whether the connection was used again; nil if it is unknown.
  public var connectionReused: Bool? { own?["reused"]?.boolValue }

  /// Whether the app cancelled the sending, so that its end is not the server's.
  public var isCancelled: Bool { own?["cancelled"]?.boolValue ?? false }

  /// Whether the answer came from a cache, without the network.
  public var isCached: Bool { own?["source"]?.stringValue != nil }

  /// Why the content of the response is not in the HAR, as a phrase; nil if it is, or there was none.
  public var omission: String? {
    if let omitted = own?["omitted"]?.stringValue { return omitted }
    let size = value["response"]?["content"]?["size"]?.intValue ?? 0
    return body == nil && size > 0 ? "the program that wrote the HAR recorded no content" : nil
  }

  /// Whether the content is decoded although the fields name a content coding, as other programs record it.
  public var isDecoded: Bool {
    own?["decoded"]?.boolValue ?? (head.map { !ContentCoding.applied(in: $0.headerFields).isEmpty } ?? false)
  }
}
