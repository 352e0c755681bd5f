import CurlewCore
import CurlewJSON
import FoundationEssentials

/// A format of `--write-out`: text with `%{variable}`, `%header{name}`, `%%`, and the escapes `\n`, `\r` and `\t`, as in curl.
struct WriteOut: Hashable, Sendable {
  /// A piece of a format.
  enum Piece: Hashable, Sendable {
    case text(String)
    case variable(String)
    case header(String)
  }

  /// The text for a transfer, and for which stream.
  struct Output: Hashable, Sendable {
    var output = ""
    var errors = ""
    /// The variables that curlew does not know.
    var unknown: [String] = []
  }

  let pieces: [Piece]

  /// Reads a format; every text is one, and what is no variable stands for itself.
  init(_ format: String) {
    var pieces: [Piece] = []
    var text = ""
    var rest = format[...]
    /// Takes the name between the braces behind a start; nil if nothing ends it.
    func name(behind start: String) -> String? {
      guard rest.hasPrefix(start), let end = rest.firstIndex(of: "}") else { return nil }
      defer { rest = rest[rest.index(after: end)...] }
      return String(rest.dropFirst(start.count)[..<end])
    }
    func end(with piece: Piece) {
      if !text.isEmpty { pieces.append(.text(text)) }
      text = ""
      pieces.append(piece)
    }
    while let first = rest.first {
      if let name = name(behind: "%{") {
        end(with: .variable(name))
      } else if let name = name(behind: "%header{") {
        end(with: .header(name))
      } else if first == "%", rest.hasPrefix("%%") {
        text += "%"
        rest = rest.dropFirst(2)
      } else if first == "\\", let escaped = Self.escapes[String(rest.prefix(2))] {
        text += escaped
        rest = rest.dropFirst(2)
      } else if first == "\\" {
        // Any other character stands for itself, and so does a backslash behind it.
        text += rest.prefix(2)
        rest = rest.dropFirst(2)
      } else {
        text.append(rest.removeFirst())
      }
    }
    if !text.isEmpty { pieces.append(.text(text)) }
    self.pieces = pieces
  }

  private static let escapes = ["\\n": "\n", "\\r": "\r", "\\t": "\t"]

  /// Returns the text for a transfer.
  func output(for facts: TransferFacts) -> Output {
    var output = Output()
    var isForErrors = false
    for piece in pieces {
      var text = ""
      switch piece {
      case .text(let plain): text = plain
      case .header(let name): text = facts.header(name) ?? ""
      case .variable("stdout"): isForErrors = false
      case .variable("stderr"): isForErrors = true
      // What follows is for transfers that failed.
      case .variable("onerror"): if facts.status == 0 { return output }
      case .variable(let name):
        if let value = facts.text(of: name) { text = value } else { output.unknown.append(name) }
      }
      if isForErrors { output.errors += text } else { output.output += text }
    }
    return output
  }

  /// Prints the text for a transfer.
  ///
  /// - Throws: `StreamError`.
  func print(_ result: FetchResult) throws {
    let output = output(for: TransferFacts(result))
    for name in output.unknown {
      StandardError.write("curlew: There is no variable '\(name)' for --write-out; see man curlew.")
    }
    if !output.errors.isEmpty { StandardError.writeRaw(output.errors) }
    if !output.output.isEmpty { try StandardOutput.write(output.output) }
  }
}
