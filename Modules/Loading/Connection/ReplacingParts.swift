package import CurlewCore
package import FoundationEssentials

/// Splits a `multipart/x-mixed-replace` body into its parts.
///
/// Each part has a head of its own and replaces the part before it.
package struct ReplacingParts: Sendable {
  /// A piece of the body.
  package enum Piece: Sendable {
    /// A part begins: the head of the whole response with the part's fields.
    case head(ResponseHead)
    /// Bytes of the current part, at least one.
    case data(Data)
  }

  private let head: ResponseHead
  private var reader: MultipartReader

  /// Creates a splitter for a response; nil if its body is not of this kind.
  package init?(_ head: ResponseHead) {
    // The number of parts has no limit, because a camera sends them until it is switched off.
    guard let type = head.mediaType, type.essence == "multipart/x-mixed-replace", let boundary = type["boundary"],
      let reader = try? MultipartReader(boundary: boundary, limits: .init(parts: .max))
    else { return nil }
    self.head = head
    self.reader = reader
  }

  /// Adds bytes of the body.
  package mutating func feed(_ data: Data) { reader.feed(data) }

  /// Declares the end of the body.
  package mutating func end() { reader.end() }

  /// Returns the next piece; nil if it needs more bytes, and at the end.
  ///
  /// - Throws: `NetworkError` of kind `serializationFailed`.
  package mutating func next() throws(NetworkError) -> Piece? {
    do throws(MultipartError) {
      while let event = try reader.next() {
        switch event {
        case .partBegan(let fields):
          return .head(ResponseHead(url: head.url, status: head.status, version: head.version, headerFields: fields))
        case .body(let data): return .data(data)
        case .partEnded, .finished: break
        }
      }
      return nil
    } catch  where error.kind == .truncated {
      // The transport has found the body complete; such servers stop without sending the closing delimiter.
      return nil
    } catch {
      throw NetworkError(
        .serializationFailed, stage: .receivingBody, message: "The parts of the body cannot be told apart.",
        underlying: error)
    }
  }
}
