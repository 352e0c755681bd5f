/// Random input that is the same in every run (SplitMix64).
struct FuzzSource: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Up to `pieces` pieces, each one of the vocabulary or now and then any byte.
  mutating func bytes(from vocabulary: [String], pieces: Int) -> [UInt8] {
    var result: [UInt8] = []
    for _ in 0..<Int.random(in: 0...pieces, using: &self) {
      if Int.random(in: 0..<10, using: &self) == 0 {
        result.append(UInt8.random(in: 0...255, using: &self))
      } else if let piece = vocabulary.randomElement(using: &self) {
        result += piece.utf8
      }
    }
    return result
  }
}
