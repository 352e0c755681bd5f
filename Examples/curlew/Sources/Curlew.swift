import ArgumentParser
import Glibc

/// Where the program begins: parses, runs, and turns what was thrown into an exit code.
@main
enum Curlew {
  static func main() async {
    Surroundings.settle()
    if let place = Surroundings.unreadableArgument {
      StandardError.write("curlew: Argument \(place) is not UTF-8; percent-encode the bytes of a URL, rename a file.")
      exit(2)
    }
    do {
      var command = try Root.parseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      leave(with: error)
    }
  }

  /// 0 all succeeded, 1 an operation failed, 2 wrong usage, 130 interrupted.
  private static func leave(with error: any Error) -> Never {
    // What the parser throws, with its usage, is another type; this one comes from looking closer at what was parsed.
    if let error = error as? ValidationError {
      StandardError.write("curlew: \(error)")
      exit(2)
    }
    switch Root.exitCode(for: error) {
    case .validationFailure:
      StandardError.write(Root.fullMessage(for: error))
      exit(2)
    case .failure where !(error is ExitCode):
      let text = "\(error)"
      StandardError.write("curlew: \(text)\(text.hasSuffix(".") ? "" : ".")")
      exit(1)
    default:
      Root.exit(withError: error)
    }
  }
}

/// The command above all others; it only names them.
struct Root: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "curlew",
    abstract: "Fetches things, and shows what the Curlew networking SDK does.",
    discussion: """
      Exit codes: 0 all succeeded, 1 at least one operation failed, 2 wrong usage, 130 interrupted.

      EXAMPLES
        curlew get https://example.com/
        curlew demo
      """,
    version: Version.text,
    subcommands: [Get.self, Decode.self, Encode.self, TrustCommand.self, Agent.self, Demo.self])
}
