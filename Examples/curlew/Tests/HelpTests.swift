import ArgumentParser
import Testing

@testable import CurlewTool

/// The help of `curlew get`, and the topics beside the commands.
@Suite struct HelpTests {
  private static func names(in text: String) -> Set<String> {
    Set(text.matches(of: /(?:^|[\s,\/])(--?[A-Za-z#][A-Za-z0-9.\-]*)/).map { String($0.1) })
  }

  @Test func `the help of get has ten usual options first, then the names of all, and all in full if asked for`()
    async throws
  {
    let short = try await ToolRun(["get", "--help"])
    let full = try await ToolRun(["get", "--help", "all"])
    #expect(short.status == 0 && full.status == 0)
    let parts = try #require(short.output.firstRange(of: "\nTHE USUAL OPTIONS:\n"))
    let all = try #require(short.output.firstRange(of: "\nALL OPTIONS; --help all says what each means:\n"))
    let usual = short.output[parts.upperBound..<all.lowerBound]
    let begins = usual.split(separator: "\n").filter { $0.hasPrefix("  -") }
    #expect(begins.count == 10 && begins[0].hasPrefix("  -X, --method"), "\(usual)")
    #expect(usual.contains("The time limit of one attempt"))
    let list = short.output[all.upperBound...]
    for title in ["request", "body", "output", "trust", "for scripts", "as in curl"] {
      #expect(list.contains("  \(title) "))
    }
    #expect(list.split(separator: "\n").allSatisfy { $0.count < 80 })
    // Each option in full is in the list by its first name.
    let entries = full.output.split(separator: "\n").filter { $0.hasPrefix("  -") }
    let listed = Self.names(in: String(list))
    for entry in entries {
      let name = entry.split(separator: " ").first.map { $0.hasSuffix(",") ? String($0.dropLast()) : String($0) } ?? ""
      #expect(listed.contains(name), "\(name)")
    }
    #expect(
      entries.count > 60 && short.output.split(separator: "\n").count < full.output.split(separator: "\n").count / 2)
    #expect(full.output.contains("\nREQUEST:\n") && full.output.contains("\nLIMITS:\n"))
    #expect(try await ToolRun(["help", "get"]).output == full.output)
    #expect(try await ToolRun(["get", "--help-hidden"]).output.contains("--as-form"))
  }

  @Test func `text that is no help in full stays as it is`() { #expect(ShortHelp.text(of: "a\n  -b\n") == "a\n  -b\n") }

  @Test func `curl's options that are said to be the same are taken, and every other one has a row`() async throws {
    let known = Self.names(in: try await ToolRun(["get", "--help-hidden"]).output).union(["-V"])
    for (names, _) in CurlOptions.different {
      for name in names.split(separator: ", ") { #expect(known.contains(String(name)), "\(name)") }
    }
    for name in CurlOptions.same { #expect(known.contains(name) || name == "-#", "\(name)") }
    let topic = try await ToolRun(["help", "curl"])
    #expect(topic.status == 0 && topic.output.contains("\n-r, --range\n    take -H 'Range: bytes=0-99'\n"))
    for (names, _) in CurlOptions.table {
      for name in names.split(separator: " ") { #expect(!known.contains(String(name)), "\(name) is an option here") }
    }
    let statuses = try await ToolRun(["help", "exit-status"])
    #expect(statuses.output.hasPrefix("0    all succeeded\n") && statuses.output.contains("    28  a time limit\n"))
    #expect(try await ToolRun(["help", "nosuch"]).status == 2)
  }
}
