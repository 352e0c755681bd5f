import ArgumentParser
import Glibc

/// The entry point: parses the arguments, runs the command and turns errors into exit codes.
@main
enum Curlew {
  static func main() async {
    Surroundings.settle()
    if let place = Surroundings.unreadableArgument {
      StandardError.write("curlew: Argument \(place) is not UTF-8; percent-encode the URL, or rename the file.")
      exit(2)
    }
    var given = Array(CommandLine.arguments.dropFirst())
    if given == ["help", "all"] { given = ["get", "--help", "all"] }
    let isFetch = !Root.commands.contains(given.first ?? "") || ["get", "batch"].contains(given.first)
    let arguments = ShortOptions.parted(given, isFetch: isFetch)
    if let topic = HelpTopic(given) {
      print(topic.text, terminator: "")
      exit(0)
    }
    if let problem = Root.problem(of: arguments) ?? CurlOptions.refusal(in: arguments) {
      refuse(problem)
    }
    let whole = HTTPieFlags.completed(Root.completed(arguments))
    var command: any ParsableCommand
    do {
      command = try Root.parseAsRoot(whole)
    } catch {
      let isWrong = Root.exitCode(for: error) == .validationFailure
      if isWrong, let problem = WrongUsage.misplacedCommand(nil, arguments) { refuse(problem) }
      leave(with: WrongUsage.revealed(error, whole), arguments)
    }
    if let problem = (command as? Get).flatMap({ WrongUsage.misplacedCommand($0, arguments) }) { refuse(problem) }
    do {
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch {
      leave(with: error, arguments)
    }
  }

  /// Exits for wrong usage, with a sentence.
  private static func refuse(_ problem: String) -> Never {
    StandardError.write("curlew: \(problem)")
    exit(2)
  }

  /// Returns the parser's message with the name that all sentences of the tool begin with, and without a guess that is far off.
  static func named(_ message: String) -> String {
    let label = "Error: "
    guard message.hasPrefix(label) else { return message }
    var lines = message.dropFirst(label.count).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if let guess = lines[0].firstMatch(of: /^(.*'(.+)')(?:\. Did you mean '(.+)'\?)?$/) {
      // The parser never guesses its own option.
      let near = [guess.3.map(String.init), "--help"].compactMap(\.self).first {
        NearestName.isNear($0, to: String(guess.2))
      }
      lines[0] = guess.1 + (near.map { "; did you mean \($0)?" } ?? "")
    }
    if lines[0].last.map({ ".?!".contains($0) }) != true { lines[0] += "." }
    return "curlew: " + lines.joined(separator: "\n")
  }

  /// Whether an error asks for the help of `curlew get`, and not for all of it.
  private static func isShortHelp(_ error: any Error, _ arguments: [String]) -> Bool {
    let asksForAll = arguments.first == "help" || arguments.contains("--help-hidden") || arguments.last == "all"
    return !asksForAll && Root.fullMessage(for: error).hasPrefix("OVERVIEW: \(Get.configuration.abstract)")
  }

  /// Exits with 1 when an operation failed, 2 for wrong usage, 130 after a signal.
  private static func leave(with error: any Error, _ arguments: [String]) -> Never {
    // The parser throws its own type, with usage. This one is thrown while a command runs.
    if let error = error as? ValidationError {
      StandardError.write("curlew: \(error)")
      exit(2)
    }
    switch Root.exitCode(for: error) {
    case .success where isShortHelp(error, arguments):
      print(ShortHelp.text(of: Root.fullMessage(for: error)), terminator: "")
      exit(0)
    case .validationFailure:
      StandardError.write(named(Root.fullMessage(for: error)))
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

/// The root command, which lists the others.
struct Root: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "curlew",
    abstract: "Fetches things, and shows what the Curlew networking SDK does.",
    discussion: """
      See curlew help curl for the options of curl, and curlew help exit-status for the exit statuses.

      Exit codes: 0 all succeeded, 1 at least one operation failed, 2 wrong usage, 130 interrupted.

      Without a command, options and URLs are those of curlew get. A method may stand before the URL, and items behind it, as in \
      HTTPie: name=Ada and age:=3 make a JSON object (a form after --form), X-Token:abc is a header field, q==curlew a part of the query. A URL without a scheme gets https, and http if its host is \
      this machine: localhost, 127.0.0.1, [::1], or a port alone.

      EXAMPLES
        curlew https://example.com/
        curlew example.com/birds
        curlew :8000/birds
        curlew POST example.com/birds name=curlew age:=3 X-Token:abc
        curlew -sSL -o page.html https://example.com/
        curlew demo
      """,
    subcommands: [
      Get.self, DownloadList.self, Decode.self, Encode.self, TrustCommand.self, Reach.self, Agent.self, Inspect.self,
      WebSocketCommand.self, Demo.self,
    ])

  /// Returns the arguments with `get` in front if they name no command, `curlew URL`, and with the format that `curlew decode FILE` lacks.
  ///
  /// A word with a dot, a colon or a slash is a URL, and so is `localhost`. Every other word is a command; `problem(of:)` refuses one that does not exist.
  static func completed(_ arguments: [String]) -> [String] {
    guard let first = arguments.first, !ownArguments.contains(first) else { return arguments }
    let isURL = first.hasPrefix("-") || first == "localhost" || first.contains { ".:/".contains($0) }
    let isMethod = RequestWords.isMethod(first) || RequestWords.spokenMethods.contains(first)
    if isMethod, arguments.count > 1 { return ["get", first.uppercased()] + arguments.dropFirst() }
    if arguments == ["decode"], UnreadInput.mayCome { return ["decode", "auto"] }
    if first == "decode", let file = arguments.dropFirst().first, !file.hasPrefix("-"),
      file.contains(where: { "./".contains($0) })
    {
      return ["decode", "auto"] + arguments.dropFirst()
    }
    return isURL && !commands.contains(first) ? ["get"] + arguments : arguments
  }

  /// The names of the commands.
  static let commands = configuration.subcommands.map { $0._commandName }

  /// The arguments that the root command understands itself.
  private static let ownArguments: Set = [
    "-V", "--version", "-h", "--help", "-help", "--help-hidden", "help", "--generate-completion-script",
    "--experimental-dump-help",
  ]

  /// Returns why the first argument is refused; nil if it is a command or an option, or stands for `get`.
  static func problem(of arguments: [String]) -> String? {
    let names = commands
    if arguments.first == "help", let topic = arguments.dropFirst().first(where: { !$0.hasPrefix("-") }) {
      guard topic != "help", !names.contains(topic) else { return nil }
      return "'\(topic)' is not a command\(nearest(to: topic, names))"
    }
    guard let first = arguments.first, completed(arguments).first == first, !ownArguments.contains(first),
      !first.hasPrefix("-"), !names.contains(first)
    else { return nil }
    if RequestWords.isMethod(first) || RequestWords.spokenMethods.contains(first) {
      return "'\(first)' is a method; write a URL behind it."
    }
    return
      "'\(first)' is neither a command nor a URL\(nearest(to: first, names)) A host alone is written http://\(first)."
  }

  /// Returns the end of the sentence that refuses a name.
  private static func nearest(to name: String, _ names: [String]) -> String {
    (NearestName.of(name, among: names).map { "; did you mean \($0)?" } ?? ".")
      + " The commands are \(names.joined(separator: ", "))."
  }

  @Flag(name: [.customShort("V"), .long], help: "Show the version, and what the libcurl that is loaded can do.")
  var version = false

  func run() async throws {
    guard version else {
      StandardError.writeRaw(Self.helpMessage() + "\n")
      throw ExitCode(2)
    }
    print(Version.text)
  }
}
