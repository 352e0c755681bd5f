import CurlewCore
import FoundationEssentials
import HTTPTypes

extension TransportConformance {
  /// The rules for framing and sending a request's body.
  static let uploadRules: [ConformanceRule] = [
    .noLengthWithoutBody, .zeroLengthForEmptyPost, .zeroLengthForEmptyBytes, .bytesWithLength, .bodyWithAnyMethod,
    .fileWithLength, .fileRangeWithLength, .streamWithLength, .streamChunked, .emptyChunksPassedOver,
    .lengthIsTheBodys, .uploadWaitsForReader, .largeUploadArrives, .sourceReleased,
  ]
}

extension ConformanceRule {
  private static let text = "Curlew calls over the estuary."

  package static let noLengthWithoutBody = ConformanceRule(
    "no-length-without-body", "a GET without content announces no length", source: "RFC 9112 §6.3",
    because: "A request without framing has no content.", features: .writtenRequests
  ) { kit in
    let place = kit.serve()
    for method: HTTPRequest.Method in [.get, .head, .delete, .options] {
      _ = try await kit.fetch(Request(method, place.url()))
    }
    for request in place.requests {
      try kit.expectEqual(request.fields["Content-Length"], nil, "the length of \(request.method)")
      try kit.expectEqual(request.fields["Transfer-Encoding"], nil, "the framing of \(request.method)")
    }
  }

  package static let zeroLengthForEmptyPost = ConformanceRule(
    "zero-length-for-empty-post", "a POST or PUT without content announces zero bytes", source: "RFC 9110 §8.6",
    because: "A method that expects content declares that there is none.", features: .writtenRequests
  ) { kit in
    let place = kit.serve()
    for method: HTTPRequest.Method in [.post, .put] { _ = try await kit.fetch(Request(method, place.url())) }
    for request in place.requests {
      try kit.expectEqual(request.fields["Content-Length"], "0", "the length of \(request.method)")
    }
  }

  package static let zeroLengthForEmptyBytes = ConformanceRule(
    "zero-length-for-empty-bytes", "content without bytes is announced as such", source: "RFC 9110 §8.6",
    because: "Empty content is content, and a server may wait for its length.", features: .writtenRequests
  ) { kit in
    let place = kit.serve()
    _ = try await kit.fetch(Request(.post, place.url(), body: .bytes(Data())))
    _ = try await kit.fetch(Request(.patch, place.url(), body: .bytes(Data())))
    let lengths = place.requests.map { $0.fields["Content-Length"] }
    try kit.expectEqual(lengths, ["0", "0"], "the lengths were")
  }

  package static let bytesWithLength = ConformanceRule(
    "bytes-with-length", "bytes are sent completely, with their length", source: "RFC 9110 §8.6",
    because: "Content in memory has a `Content-Length`."
  ) { kit in
    try await kit.expectUpload(.text(text), arrivesAs: [UInt8](text.utf8), length: Int64(text.utf8.count))
  }

  package static let bodyWithAnyMethod = ConformanceRule(
    "body-with-any-method", "content is sent with any method", source: "RFC 9110 §9.3.1",
    because: "Client and server agree on the meaning of content in a GET.", features: .writtenRequests
  ) { kit in
    let place = kit.serve()
    for method: HTTPRequest.Method in [.get, .delete, .put, .patch, .options] {
      _ = try await kit.fetch(Request(method, place.url(), body: .text(text)))
    }
    for request in place.requests {
      try kit.expectEqual(await request.content(), [UInt8](text.utf8), "the content of \(request.method)")
    }
  }

  package static let fileWithLength = ConformanceRule(
    "file-with-length", "a file is sent completely, with its length", source: "RFC 9110 §8.6",
    because: "Servers refuse uploads of unknown length."
  ) {
    kit in
    let file = try ScratchFile(bytes: BytePattern.seeded(3).bytes(count: 300_000))
    try await kit.expectUpload(.file(file.url), arrivesAs: file.bytes, length: 300_000)
  }

  package static let fileRangeWithLength = ConformanceRule(
    "file-range-with-length", "a part of a file is sent, with the part's length", source: "RFC 9110 §8.6",
    because: "Uploads in parts send each part with its own length."
  ) { kit in
    let file = try ScratchFile(bytes: BytePattern.seeded(4).bytes(count: 100_000))
    try await kit.expectUpload(
      .file(file.url, range: 1000..<70_001), arrivesAs: Array(file.bytes[1000..<70_001]), length: 69_001)
  }

  package static let streamWithLength = ConformanceRule(
    "stream-with-length", "a stream with a length is sent with it", source: "RFC 9110 §8.6",
    because: "A stream with a known length is framed by it.", capabilities: .streamedUploads
  ) { kit in
    let source = UploadSource(pieces: [.bytes(Data("Curlew calls ".utf8)), .bytes(Data("over the estuary.".utf8))])
    try await kit.expectUpload(source.body(length: 30), arrivesAs: [UInt8](text.utf8), length: 30)
  }

  package static let streamChunked = ConformanceRule(
    "stream-chunked", "a stream without a length is sent completely", source: "RFC 9112 §6.1",
    because: "Content of unknown length is sent chunked.", capabilities: .streamedUploads
  ) { kit in
    let source = UploadSource(pieces: [.bytes(Data("Curlew calls ".utf8)), .bytes(Data("over the estuary.".utf8))])
    try await kit.expectUpload(source.body(), arrivesAs: [UInt8](text.utf8), length: nil)
  }

  package static let emptyChunksPassedOver = ConformanceRule(
    "empty-chunks-passed-over", "empty chunks of a stream are skipped", source: "RFC 9112 §7.1",
    because: "An empty chunk would end the chunked coding.", capabilities: .streamedUploads
  ) { kit in
    let source = UploadSource(pieces: [
      .bytes(Data()), .bytes(Data("Curlew calls ".utf8)), .bytes(Data()), .bytes(Data("over the estuary.".utf8)),
      .bytes(Data()),
    ])
    try await kit.expectUpload(source.body(), arrivesAs: [UInt8](text.utf8), length: nil)
  }

  package static let lengthIsTheBodys = ConformanceRule(
    "length-is-the-bodys", "a length or framing field of the app that contradicts the body never arrives",
    source: "RFC 9112 §11.2",
    because: "Two lengths can be used to smuggle requests.",
    features: .writtenRequests
  ) { kit in
    let place = kit.serve()
    for (name, value) in [("Content-Length", "5"), ("Content-Length", "9999"), ("Transfer-Encoding", "chunked")] {
      var request = Request(.post, place.url(), body: .text(text))
      request.headerFields.append(name, value)
      do {
        _ = try await kit.fetch(request)
      } catch let error as NetworkError where error.kind == .invalidRequest {
        continue
      }
      guard let seen = place.requests.last else { continue }
      let lengths = seen.fields[values: "Content-Length"]
      let isClear = lengths == ["30"] && seen.fields["Transfer-Encoding"] == nil
      let isChunked = lengths.isEmpty && seen.fields[values: "Transfer-Encoding"] == ["chunked"]
      try kit.expect(isClear || isChunked, "with \(name): \(value) it was sent with \(seen.fields.lines)")
      try kit.expectEqual(await seen.content(), [UInt8](text.utf8), "with \(name): \(value) the content was")
    }
  }

  package static let uploadWaitsForReader = ConformanceRule(
    "upload-waits-for-reader", "a source is not asked for more than 24 MiB ahead of a server that does not read",
    source: "Body",
    because: "An upload is as slow as its reader, and waits in the source, not in memory.",
    capabilities: .streamedUploads, features: .slowReading
  ) { kit in
    let gate = OriginGate()
    let place = kit.serve(ConformanceAnswer(upload: .readPartly(1, then: gate)))
    let source = UploadSource(pieces: [.repeated(Data(count: 65_536), 1024)])
    let sending = Task { try await kit.fetch(Request(.post, place.url(), body: source.body(length: 64 << 20))) }
    defer { sending.cancel() }
    await gate.reached()
    try await kit.spendWork()
    let ahead = source.made
    try kit.expect(ahead <= 24 << 20, "\(ahead) bytes were taken from the source")
    gate.open()
    _ = try await sending.value
    try kit.expectEqual(place.requests.first?.contentLength, 64 << 20, "the length that arrived")
  }

  package static let largeUploadArrives = ConformanceRule(
    "large-upload-arrives", "an upload of 16 MiB arrives completely", source: "RFC 9110 §6.4",
    because: "Bytes are lost most easily where buffers are handed over.", capabilities: .streamedUploads
  ) { kit in
    let place = kit.serve()
    let source = UploadSource(pieces: [.repeated(Data(BytePattern.seeded(5).bytes(count: 1 << 20)), 16)])
    _ = try await kit.fetch(Request(.put, place.url(), body: source.body()))
    try kit.expectEqual(place.requests.first?.contentLength, 16 << 20, "the length that arrived")
    try kit.expect(place.requests.first?.isComplete == true, "it did not end")
  }

  package static let sourceReleased = ConformanceRule(
    "source-released", "a source is released when its request has ended or was cancelled", source: "Body",
    because: "A source holds files or other requests, which must be released.",
    capabilities: .streamedUploads
  ) { kit in
    let place = kit.serve()
    let whole = OneShot()
    _ = try await kit.fetch(
      Request(
        .post, place.url(),
        body: .stream(replayable: false) { UploadSource(pieces: [.bytes(Data("a".utf8))]) { whole.set() } }))
    try await whole.wait()
    let early = OneShot()
    let gate = OriginGate()
    let sending = Task {
      try await kit.fetch(
        Request(
          .post, place.url(), body: .stream(replayable: false) { UploadSource(pieces: [.wait(gate)]) { early.set() } }))
    }
    await gate.reached()
    sending.cancel()
    _ = await sending.result
    try await early.wait()
  }
}

extension ConformanceKit {
  /// Sends a body with POST and checks the bytes that arrive.
  ///
  /// - Parameter length: The announced length; nil if there must be none.
  fileprivate func expectUpload(_ body: Body, arrivesAs bytes: [UInt8], length: Int64?) async throws {
    let place = serve()
    let answer = try await fetch(Request(.post, place.url(), body: body))
    try expectEqual(answer.head.status.code, 200, "the status")
    guard let request = place.requests.first else { throw ConformanceFailure("no request arrived") }
    let content = await request.content()
    try expect(content == bytes, "\(content.count) bytes arrived, not the \(bytes.count) that were sent")
    guard endpoint.features.contains(.writtenRequests) else { return }
    try expectEqual(request.fields[values: "Content-Length"], length.map { ["\($0)"] } ?? [], "the announced length")
    try expectEqual(request.fields["Transfer-Encoding"], length == nil ? "chunked" : nil, "the framing")
  }

  /// Transfers 32 MiB, so that all other work gets a chance to run.
  func spendWork() async throws {
    let place = serve(.pattern(32 << 20, seed: 9))
    let body = try await fetch(place).body
    try expectEqual(body.count, 32 << 20, "the length of another body")
  }
}

/// A file that is removed with its owner.
final class ScratchFile: Sendable {
  let bytes: [UInt8]
  let url: URL
  private let path: String

  init(bytes: [UInt8]) throws {
    self.bytes = bytes
    path = "/tmp/curlew-conformance-\(UInt64.random(in: 0 ... .max))"
    url = URL(filePath: path)
    let file = try LocalFileSystem().open(path, [.write, .create, .exclusive])
    try bytes.withUnsafeBytes { buffer in try file.write(buffer, at: 0) }
    try file.close()
  }

  /// Truncates or extends the file.
  func resize(to length: Int64) throws { try LocalFileSystem().open(path, .write).truncate(to: length) }

  deinit { try? LocalFileSystem().remove(path) }
}
