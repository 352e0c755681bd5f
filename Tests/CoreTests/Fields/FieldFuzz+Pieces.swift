extension FieldFuzz: RandomNumberGenerator {
  /// Up to `pieces` pieces, each one of the vocabulary or now and then any byte.
  mutating func bytes(from vocabulary: [String], pieces: Int) -> [UInt8] {
    var result: [UInt8] = []
    for _ in 0..<below(pieces + 1) {
      if below(10) == 0 {
        result.append(UInt8(truncatingIfNeeded: next()))
      } else {
        result += vocabulary[below(vocabulary.count)].utf8
      }
    }
    return result
  }
}
