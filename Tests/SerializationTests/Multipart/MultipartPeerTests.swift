import CurlewCore
import CurlewSerialization
import FoundationEssentials
import Testing

/// Where `Scripts/multipart-peers` wants the form; nil when it does not run.
private let folder = ProcessInfo.processInfo.environment["CURLEW_MULTIPART_PEERS"]

@Suite(.enabled(if: folder != nil, "Scripts/multipart-peers runs this"))
struct MultipartPeerTests {
  @Test func `a form is written for other parsers to read`() async throws {
    let folder = try #require(folder)
    let bytes = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    var form = MultipartForm()
    try form.append(["text": "é\u{1F600}\r\n--Boundary+", "list": ["a", ""], "null": nil])
    try form.append(Data(), name: "a\"b\r\nc", fileName: "empty\".bin", mediaType: .octetStream)
    try form.append(bytes, name: "file", fileName: "é.bin", mediaType: .octetStream)
    let body = try await form.spooled(to: URL(filePath: folder + "/body"))
    #expect(body.length == form.length)
    try Data(form.mediaType.description.utf8).write(to: URL(filePath: folder + "/type"))
    try bytes.write(to: URL(filePath: folder + "/bytes"))
  }
}
