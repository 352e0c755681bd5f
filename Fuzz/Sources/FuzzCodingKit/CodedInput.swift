import CurlewContentCoding
public import CurlewCore
public import FoundationEssentials
public import FuzzKit

/// Decodes an input in one piece and in pieces, whose size the first byte gives.
public enum CodedInput {
  /// The most bytes to decode, so that a bomb costs only little time.
  private static let most = 1 << 20

  /// Checks that the result does not depend on the pieces, and that limits hold.
  public static func check(_ input: Data, _ codings: [ContentCoding], for target: any FuzzTarget.Type) {
    guard let first = input.first else { return }
    let coded = input.dropFirst()
    let whole = decoded([Data(coded)], codings, target)
    var pieces: [Data] = []
    var rest = coded
    while !rest.isEmpty {
      pieces.append(Data(rest.prefix(Int(first) + 1)))
      rest = rest.dropFirst(Int(first) + 1)
    }
    let split = decoded(pieces, codings, target)
    // libzstd accepts an empty compressed block when it arrives in pieces, and rejects it in one piece.
    if codings.contains(.zstd), whole.reason == nil || split.reason == nil, whole.plain == split.plain { return }
    target.demand(
      whole.reason == split.reason, "\(split.reason ?? "no error") in pieces, \(whole.reason ?? "none") whole")
    target.demand(whole.reason != nil || whole.plain == split.plain, "pieces give other content")
  }

  private static func decoded(
    _ pieces: [Data], _ codings: [ContentCoding], _ target: any FuzzTarget.Type
  ) -> (plain: Data, reason: String?) {
    var limits = ContentDecodingLimits()
    limits.output = Int64(most)
    // The ratio depends on how much input was read, so its limit would differ between pieces.
    limits.ratio = .max
    var plain = Data()
    do throws(ContentDecodingError) {
      let decoder = try ContentDecoder(codings, limits: limits)
      for piece in pieces {
        decoder.feed(piece)
        while let bytes = try decoder.next() {
          target.demand(!bytes.isEmpty && bytes.count <= 65_536, "a piece of \(bytes.count) bytes")
          plain += bytes
        }
        target.demand(!decoder.holdsInput, "input is left although more is asked for")
      }
      try decoder.finish()
    } catch {
      target.demand(plain.count <= most, "the limit was exceeded")
      // Which of two errors comes first depends on the pieces, because the bytes after a damaged part may look like garbage.
      return (plain, error.reason == .cut ? "cut" : "wrong")
    }
    target.demand(Int64(plain.count) <= most, "the limit was exceeded")
    return (plain, nil)
  }
}
