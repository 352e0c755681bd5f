import ArgumentParser
import CurlewCore
import CurlewCurlTransport
import CurlewSerialization
import CurlewTestSupport
import FoundationEssentials
import Glibc
import HTTPTypes

/// Sends a large form to a `form-origin`, which reads it part by part.
///
/// A file and a stream are each half of it.
struct FormStream: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "multipart",
    abstract: "A large form, sent over the network and read back: memory must not grow with it.")

  @Argument(help: "Where a form-origin answers.") var url: String
  @Option(help: "The size of the form, MB.") var megabytes = 1024
  @Option(help: "The most memory, MB.") var memory = 30.0

  func run() async throws {
    let path = FileManager.default.temporaryDirectory.path + "/curlew-soak-\(UInt64.random(in: 0 ... .max))"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let half = Int64(megabytes) << 19
    let file = try LocalFileSystem().open(path, [.write, .create, .truncate])
    try file.truncate(to: half)
    try file.close()
    var form = MultipartForm()
    try form.append("curlew", name: "title")
    try form.append(file: URL(filePath: path), name: "file")
    try form.append(.stream(length: half, replayable: true) { Zeros(half) }, name: "stream", fileName: "stream")

    var report = Report("multipart of \(megabytes) MB")
    try await send(form, &report)
    try await readBack(form, half, &report)
    report.promise(
      ProcessFigures.peakMemory < memory, "peak memory \(ProcessFigures.peakMemory.short) MB (< \(memory.short))")
    try report.finish()
  }

  private func send(_ form: MultipartForm, _ report: inout Report) async throws {
    let transport = try CurlTransport()
    let start = ContinuousClock.now
    let response = try await transport.send(form.applied(to: Request(.post, url)), in: Exchange())
    let answer = String(decoding: try await response.body.collect(upTo: 1000), as: UTF8.self)
    let seconds = (ContinuousClock.now - start).milliseconds / 1000
    let length = form.length ?? -1
    report.promise(answer == "\(length) \(length)", "announced and received \(answer) of \(length) bytes")
    report.note("\((Double(length) / 1e6 / seconds).short) MB/s sent")
    await transport.shutdown()
  }

  private func readBack(_ form: MultipartForm, _ half: Int64, _ report: inout Report) async throws {
    guard case .stream(let stream) = form.body().source else { throw ExitCode.failure }
    let start = ContinuousClock.now
    let chunks = try await stream.make()
    var lengths: [Int64] = []
    for try await part in try MultipartParts(Chunks(chunks: chunks), boundary: form.boundary) {
      var length: Int64 = 0
      for try await bytes in part.body { length += Int64(bytes.count) }
      lengths.append(length)
    }
    let seconds = (ContinuousClock.now - start).milliseconds / 1000
    report.promise(lengths == [6, half, half], "parts of \(lengths) bytes")
    report.note("\((Double(half) * 2 / 1e6 / seconds).short) MB/s read")
  }
}

/// Receives forms in a process of its own until it is killed.
///
/// The separate process keeps its memory out of the sender's figures.
struct FormOrigin: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "form-origin", abstract: "Prints its URL and answers each request with how many bytes it sent.",
    shouldDisplay: false)

  func run() async throws {
    var options = OriginOptions()
    options.bodyBytesKept = 0
    let origin = try await ScriptedOrigin.start(options) { request in
      _ = await request.body()
      return .ok("\(request["Content-Length"] ?? "") \(request.bodyLength)")
    }
    print(origin.url("/").absoluteString)
    fflush(nil)
    while true { try await Task.sleep(for: .seconds(3600)) }
  }
}

/// A body of zeros, in chunks of 64 KiB.
// Safe because one task at a time asks for a body's chunks (see `BodyChunks`).
private final class Zeros: BodyChunks, @unchecked Sendable {
  private var left: Int64
  private let chunk = Data(count: 65_536)

  init(_ length: Int64) { left = length }

  func next() async throws -> Data? {
    guard left > 0 else { return nil }
    let bytes = chunk.prefix(Int(min(left, Int64(chunk.count))))
    left -= Int64(bytes.count)
    return bytes
  }
}

/// The chunks of a body as a sequence.
private struct Chunks: AsyncSequence, AsyncIteratorProtocol {
  let chunks: any BodyChunks

  func makeAsyncIterator() -> Chunks { self }
  mutating func next() async throws -> Data? { try await chunks.next() }
}
