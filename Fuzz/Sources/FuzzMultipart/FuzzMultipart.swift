import CurlewCore
import FoundationEssentials
import FuzzKit
import HTTPTypes

/// Fuzzes multipart bodies, and the names and content of a form.
@main enum FuzzMultipart: FuzzTarget {
  static func read(_ bytes: Data) {
    readBody(bytes)
    writeForm(bytes)
  }

  /// Checks that the parts do not depend on how the body is cut.
  private static func readBody(_ bytes: Data) {
    // A body usually begins with its delimiter.
    let line = bytes.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
    let first = String(decoding: line, as: UTF8.self)
    for boundary in [first.hasPrefix("--") ? String(first.dropFirst(2)) : first, "b"] {
      guard let reader = try? MultipartReader(boundary: boundary) else { continue }
      let whole = outline(of: [bytes], reader)
      demand(whole == outline(of: bytes.pieces, reader), "parts depend on how the body is cut")
    }
  }

  /// Returns the events of a body, with the bytes of each part in one piece.
  private static func outline(of pieces: [Data], _ reader: MultipartReader) -> [String] {
    var reader = reader
    var seen: [String] = []
    var content = Data()
    do throws(MultipartError) {
      func take() throws(MultipartError) {
        while let event = try reader.next() {
          switch event {
          case .partBegan(let fields): seen.append("began \(fields)")
          case .body(let bytes):
            demand(!bytes.isEmpty && bytes.startIndex == 0, "a piece is empty or a slice")
            content.append(bytes)
          case .partEnded:
            seen.append("ended \(content.base64EncodedString())")
            content = Data()
          case .finished: seen.append("finished")
          }
        }
      }
      for piece in pieces {
        reader.feed(piece)
        try take()
      }
      reader.end()
      try take()
    } catch {
      // Bytes of a truncated part are passed on as they arrive, so their number depends on the pieces.
      seen.append("\(error)")
    }
    return seen
  }
}
