import CurlewTestSupport
import Foundation
import Testing

@testable import CurlewTool

/// Passwords from a `.netrc` file.
@Suite final class NetrcTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/curlew-netrc-\(UInt64.random(in: 0 ... .max))"

  init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private func write(_ text: String, _ name: String = "netrc", mode: Int = 0o600) throws -> String {
    let path = folder + "/" + name
    try Data(text.utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return path
  }

  @Test(arguments: [
    ("machine h login u password p", "u" as String?, "p"), ("machine h\n\tlogin u\n\tpassword p\n", "u", "p"),
    ("MACHINE H LOGIN u PASSWORD p", "u", "p"), ("machine h password p login u", "u", "p"),
    ("machine h login u", "u", ""), ("machine h password p", "", "p"), ("machine h", nil, ""), ("", nil, ""),
    ("machine other login a password b\nmachine h login u password p", "u", "p"),
    ("machine h login u password p\nmachine h login v password q", "u", "p"),
    ("default login d password e", "d", "e"), ("default login d password e\nmachine h login u password p", "u", "p"),
    ("machine h account a login u password p", "u", "p"), ("machine h login u password p port 80", "u", "p"),
    // Quotes, with their escapes; a quoted word is no keyword.
    (#"machine h login "u u" password "p\"\\\n\t\r#""#, "u u", "p\"\\\n\t\r#"),
    (#"machine h login u password """#, "u", ""),
    (#"machine h login "password" password p"#, "password", "p"),
    (#"machine h login u "machine" password p"#, "u", "p"),
    // Comments, and macros up to an empty line, whatever is in them.
    ("# machine h login a password b\nmachine h login u # login x\npassword p", "u", "p"),
    ("macdef init\nmachine h login a password b\nquit\n\nmachine h login u password p", "u", "p"),
    ("machine h login u password p\nmacdef x\nmachine i login a password b", "u", "p"),
    ("macdef x\nmachine h login u password p", nil, ""), ("machine h login u password p#q\r\n", "u", "p#q"),
    ("login a password b machine h login u password p", "u", "p"),
    ("machine h login password password p", "password", "p"),
  ])
  func `a file is read as curl reads it`(text: String, name: String?, password: String) throws {
    let login = try Netrc(parsing: text).login(for: "h", orDefault: true)
    #expect(login == name.map { Netrc.Login(name: $0, password: password) })
  }

  @Test(arguments: [
    ("machine", 1, "nothing follows 'machine'"), ("machine h\nlogin", 2, "nothing follows 'login'"),
    ("machine h\n\npassword \"p", 3, "a quote has no end"), ("machine h password \"p\\", 1, "a quote has no end"),
  ])
  func `a file that ends too early is refused with its line`(text: String, line: Int, reason: String) {
    #expect(throws: Netrc.Problem(line: line, reason: reason)) { try Netrc(parsing: text) }
  }

  @Test func `a name that is not in the file gets the default only where it is allowed`() throws {
    let netrc = try Netrc(parsing: "machine h login u password p default login d password e")
    #expect(netrc.login(for: "i", orDefault: true)?.name == "d" && netrc.login(for: "i", orDefault: false) == nil)
    #expect(netrc.login(for: "H", orDefault: false)?.name == "u")
  }

  @Test func `passwords of a file answer the challenges of its hosts, and of no other`() async throws {
    let other = try await ScriptedOrigin.start { request in
      .status(401, request["Authorization"] ?? "who?", ["WWW-Authenticate": "Basic realm=\"birds\""])
    }
    let elsewhere = other.address("/", host: "localhost")
    let origin = try await ScriptedOrigin.start { request in
      if request.path == "/moved" { return .redirect(to: elsewhere) }
      guard let answer = request["Authorization"] else {
        return .status(401, "who?", ["WWW-Authenticate": "Basic realm=\"birds\""])
      }
      return .ok(answer)
    }
    let expected = "Basic " + Data("u:p".utf8).base64EncodedString()
    let file = try write("machine 127.0.0.1 login u password p\nmachine localhost login v password q\n")
    #expect(try await ToolRun(["--netrc-file", file, origin.address("/")]).output == expected)
    // Without TLS, the host of a redirect gets nothing.
    let moved = try await ToolRun(["--netrc-file", file, origin.address("/moved")])
    #expect(moved.status == 1 && moved.output == "who?", "\(moved.output)")
    let own = try await ToolRun(["--netrc-file", file, "-u", "me:it", origin.address("/")])
    #expect(own.output == "Basic " + Data("me:it".utf8).base64EncodedString())
    _ = try write("machine 127.0.0.1 login u password p", ".netrc")
    for option in ["-n", "--netrc", "--netrc-optional", "-sn"] {
      let run = try await ToolRun([option, origin.address("/"), folder], script: #"HOME="$3" exec "$0" "$1" "$2""#)
      #expect(run.output == expected && run.errors == "", "\(run.errors)")
    }
    let none = try await ToolRun(
      ["-n", origin.address("/"), folder + "/nosuch"], script: #"HOME="$3" exec "$0" "$1" "$2""#)
    #expect(none.status == 1 && none.output == "who?", "\(none.errors)")
    await origin.stop()
    await other.stop()
  }

  @Test func `a redirect to a host of the file gets its password over TLS, and one to a host without a name none`()
    async throws
  {
    let root = try TestIdentity.authority()
    let leaf = try root.issue()
    let files = try leaf.writeFiles()
    defer { files.remove() }
    let other = try await ScriptedOrigin.start(tls: OriginTLS(leaf)) { request in
      request["Authorization"].map { .ok($0) } ?? .status(401, "who?", ["WWW-Authenticate": "Basic realm=\"birds\""])
    }
    let elsewhere = other.address("/")
    let origin = try await ScriptedOrigin.start { _ in .redirect(to: elsewhere) }
    let host = try #require(URL(string: elsewhere)?.host)
    let named = try write("machine \(host) login u password p\n")
    let run = try await ToolRun(["--cacert", files.root, "--netrc-file", named, origin.address("/")])
    #expect(run.output == "Basic " + Data("u:p".utf8).base64EncodedString(), "\(run.errors)")
    let unnamed = try write("default login u password p\n", "default")
    let refused = try await ToolRun(["--cacert", files.root, "--netrc-file", unnamed, origin.address("/")])
    #expect(refused.status == 1 && refused.output == "who?", "\(refused.errors)")
    await origin.stop()
    await other.stop()
  }

  @Test func `a file that is missing, wrong or open to others is named, and nothing of it is quoted`() async throws {
    let missing = try await ToolRun(["--netrc-file", folder + "/nosuch", "http://127.0.0.1:1/"])
    #expect(
      missing.status == 2 && missing.errors.contains("'\(folder)/nosuch' cannot be read: No such file"),
      "\(missing.errors)")
    let wrong = try write("machine h\npassword \"s3cr3t\n", "wrong")
    let refused = try await ToolRun(["--netrc-file", wrong, "http://127.0.0.1:1/"])
    #expect(refused.status == 2 && refused.errors.contains("line 2: a quote has no end."), "\(refused.errors)")
    #expect(!refused.errors.contains("s3cr3t"))
    let open = try write("machine h login u password p", "open", mode: 0o644)
    let warned = try await ToolRun(["--as-curl", "--netrc-file", open, "http://127.0.0.1:1/"])
    #expect(warned.status == 0 && warned.errors.contains("other users may read it; run chmod 600"), "\(warned.errors)")
    #expect(warned.output.contains("--netrc-file \(open)"), "\(warned.output)")
  }
}
