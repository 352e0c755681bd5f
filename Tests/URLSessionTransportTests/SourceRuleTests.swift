import CurlewCore
import FoundationEssentials
import Testing

@Suite struct SourceRuleTests {
  /// What corrupts, traps or leaks on Linux, as it would be written.
  @Test(arguments: [
    ".suspend(", ".progress", ".streamError", ".serverTrust =", ".protectionSpace.serverTrust", "URLSession.shared",
    "cancel(byProducingResumeData", "downloadTask(", "uploadTask(", "invalidateAndCancel", ".useCredential",
    ".performDefaultHandling", ".countOfBytes",
  ])
  func `the module never uses what Foundation does not bear`(use: String) throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Modules/URLSessionTransport")
    var files = 0
    for folder in ["", "Flight", "Response", "Sending", "Session"] {
      let path = root.appending(path: folder).path(percentEncoded: false)
      for name in try LocalFileSystem().list(path) where name.hasSuffix(".swift") {
        let code = try String(contentsOf: URL(filePath: path).appending(path: name), encoding: .utf8)
          .split(separator: "\n").filter { !$0.drop(while: { $0 == " " }).hasPrefix("//") }
        #expect(!code.contains { $0.contains(use) }, "\(name)")
        files += 1
      }
    }
    #expect(files >= 15)
  }
}
