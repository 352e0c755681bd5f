import ArgumentParser

/// Explains wrong usage where the first error that the parser meets says less.
enum WrongUsage {
  /// Returns the error about an unknown option, if one about a missing argument hides it.
  ///
  /// An unknown option is often a mistyped one, and its value then seems to be the URL, or the other way round.
  static func revealed(_ error: any Error, _ arguments: [String]) -> any Error {
    let message = Root.fullMessage(for: error)
    guard Root.exitCode(for: error) == .validationFailure,
      ["Give at least one URL.", "Give a list of URLs", "Missing expected argument"].contains(where: message.contains)
    else { return error }
    // With an argument in its place, the parser goes on to the options.
    for argument in ["https://h/", "json"] {
      let other = PasswordPrompt.$isOff.withValue(true) { failure(of: arguments + [argument]) }
      if let other, Root.fullMessage(for: other).hasPrefix("Error: Unknown option") { return other }
    }
    return error
  }

  private static func failure(of arguments: [String]) -> (any Error)? {
    do {
      _ = try Root.parseAsRoot(arguments)
      return nil
    } catch {
      return error
    }
  }

  /// Returns the sentence about a command that stands behind options and was taken for a host; nil without one.
  ///
  /// - Parameters:
  ///   - get: The command that the arguments make; nil if they make none, so that the command must be found among them.
  ///   - arguments: The arguments, as `ShortOptions.parted` returns them.
  static func misplacedCommand(_ get: Get?, _ arguments: [String]) -> String? {
    guard arguments.first?.hasPrefix("-") == true else { return nil }
    let names = Set(Root.configuration.subcommands.map { $0._commandName }).union(["help"])
    let word =
      get.map { $0.urls.first }
      ?? zip(arguments.dropFirst(), arguments).first { word, before in
        names.contains(word) && !mayTakeValue(before)
      }?.0
    guard let word, names.contains(word) else { return nil }
    return "'\(word)' is a command, and a command stands first; write curlew \(word) before the options."
  }

  /// Whether an argument can be an option whose value follows.
  private static func mayTakeValue(_ argument: String) -> Bool {
    guard argument.hasPrefix("-") else { return false }
    guard argument.hasPrefix("--") else { return argument.last.map(ShortOptions.takesValue) ?? false }
    return !argument.contains("=")
  }
}
