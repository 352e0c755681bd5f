public import CurlewCore
import FoundationEssentials
import HTTPTypes
import Synchronization

/// Wraps a transport, and records what it sends and receives in a HAR, with content, for `ReplayTransport` and for people.
///
/// A recording has heads, the pieces in which a body arrived, trailers, informational responses, and what failed. Secrets are never
/// written, unless the options say so: fields and parts of URLs are replaced as observers see them, and in JSON, forms and text the values
/// with the same names. Content that can have secrets elsewhere, such as multipart, XML and YAML, is left out then, and so is content in a coding that
/// cannot be decoded; content in one that can is recorded decoded. The request and the response themselves are unchanged.
///
/// Each sending is written when its body has been read, has failed or was released; `shutdown` closes the file once all are in it.
public final class HARRecordingTransport: Transport {
  /// How much is recorded.
  public struct Options: Sendable {
    /// The most bytes of each body, 0 or more; a longer one is left out. 1 MiB by default.
    public var bodyLimit = 1 << 20
    /// The most bytes of the file, at least 1 kB; entries beyond it are dropped. 256 MiB by default, what `HARDocument` reads.
    public var byteLimit = Int64(HARDocument.byteLimit)
    /// Which secrets are replaced, in addition to those of each exchange's redaction; nil records all secrets.
    public var redaction: Redaction? = .standard

    /// Creates options with their defaults.
    public init() {}
  }

  private let wrapped: any Transport
  private let log: HARLog
  private let options: Options

  /// Wraps a transport, and creates a file or replaces the contents of one.
  ///
  /// - Parameters:
  ///   - wrapped: The transport that sends.
  ///   - path: The path of the file. A new one can be read by its owner only.
  ///   - recording: Entries that the file begins with; nil for none.
  ///   - options: How much is recorded.
  /// - Throws: `FileSystemError` if the file cannot be written, is not a regular file, or is being written by another recorder.
  public init(
    _ wrapped: any Transport, to path: String, continuing recording: HARDocument? = nil, options: Options = Options()
  ) throws(FileSystemError) {
    self.wrapped = wrapped
    self.options = options
    log = try HARLog(path, limit: options.byteLimit)
    guard let recording else { return }
    for entry in recording.entries { log.write(entry) }
    log.writer.finish()
    if let failure = log.writer.failure { throw failure }
  }

  /// The wrapped transport's capabilities, without two-way connections, whose bytes an archive has no place for.
  public var capabilities: TransportCapabilities { wrapped.capabilities.subtracting(.duplex) }

  /// The number of entries that were written, or wait for the disk.
  public var entryCount: Int { log.writer.entryCount }

  /// Why an entry could not be written, such as a full disk; nil if all could.
  public var failure: FileSystemError? { log.writer.failure }

  /// Passes the request on, and records it with its outcome.
  public func send(_ request: Request, in exchange: Exchange) async throws -> Response {
    let redaction = options.redaction.map { own in
      let others = exchange.settings.redaction
      return Redaction(
        fields: own.fields.union(others.fields), queryItems: own.queryItems.union(others.queryItems))
    }
    let sending = RecordedSending(request, exchange, log, redaction, limit: options.bodyLimit)
    var request = request
    if case .stream(let stream) = request.body.source {
      request.body = .stream(length: stream.length, replayable: stream.replayable) {
        RecordedChunks(try await stream.make(), sending)
      }
    }
    let inner = exchange.derived(freshConnection: exchange.requiresFreshConnection) { $0.observers.append(sending) }
    do {
      let response = try await wrapped.send(request, in: inner)
      sending.respond(response.head)
      return Response(head: response.head, body: response.body.wrapped { RecordedBody($0, sending) })
    } catch {
      sending.end(error)
      throw error
    }
  }

  /// Shuts the wrapped transport down, and closes the file once all entries are in it.
  public func shutdown() async {
    await wrapped.shutdown()
    log.writer.close()
  }
}

/// Passes the chunks of a request's body on, and records them.
private final class RecordedChunks: BodyChunks {
  private let chunks: any BodyChunks
  private let sending: RecordedSending

  init(_ chunks: any BodyChunks, _ sending: RecordedSending) {
    self.chunks = chunks
    self.sending = sending
    sending.beginUpload()
  }

  func next() async throws -> Data? {
    let chunk = try await chunks.next()
    if let chunk { sending.upload(chunk) } else { sending.endUpload() }
    return chunk
  }
}

/// Passes the pieces of a response's body on, and records them.
private final class RecordedBody: ResponseBodySource {
  private let source: any ResponseBodySource
  private let sending: RecordedSending

  init(_ source: any ResponseBodySource, _ sending: RecordedSending) {
    self.source = source
    self.sending = sending
  }

  var trailers: HTTPFields? { source.trailers }

  nonisolated(nonsending) func next() async throws -> Data? {
    do {
      let piece = try await source.next()
      if let piece { sending.receive(piece) } else { sending.end(nil, trailers: source.trailers) }
      return piece
    } catch {
      sending.end(error)
      throw error
    }
  }

  func cancel() {
    source.cancel()
    sending.leave()
  }

  func reject() async {
    await source.reject()
    sending.leave()
  }
}
