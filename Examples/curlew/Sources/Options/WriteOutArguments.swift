import ArgumentParser
import FoundationEssentials

/// The options about what a script reads of a run.
struct WriteOutArguments: ParsableArguments {
  @Option(
    name: [.customShort("w"), .long],
    help: ArgumentHelp(
      "Print this text after each transfer, with curl's variables, such as %{http_code} and %header{name}; @FILE reads it from a file.",
      valueName: "format|@file"), transform: WriteOutArgument.read)
  var writeOut: WriteOutArgument?

  @Flag(help: "End with curl's exit status of the last URL that failed, such as 6, 7, 22, 28 or 60, in place of 1.")
  var exitAsCurl = false
}

/// The text of `--write-out`, read.
struct WriteOutArgument: Sendable {
  let given: String
  let format: WriteOut

  /// Whether standard input is its file.
  var isStandardInput: Bool { given == "@-" }

  /// Reads the text, or its file without line ends.
  ///
  /// - Throws: `ValidationError`.
  @Sendable static func read(_ argument: String) throws -> WriteOutArgument {
    guard let path = argument.fileReference.map(String.init) else {
      return WriteOutArgument(given: argument, format: WriteOut(argument))
    }
    let bytes = try BodyArguments.contents(of: path).withoutLineEnds
    return WriteOutArgument(given: argument, format: WriteOut(String(decoding: bytes, as: UTF8.self)))
  }
}
