/// Seeded random field values, half of them near what a grammar allows.
struct FieldFuzz {
  private var state: UInt64
  private let seeds: [String]
  private let alphabet: [Unicode.Scalar]

  init(seed: UInt64, near seeds: [String]) {
    state = seed
    self.seeds = seeds
    let marks = " \t\r\n,;=\"\\'/*%+-._:()<>@?[]{}!#$&^`|~\0\u{1}\u{7F}\u{80}\u{FF}\u{100}€😀\u{301}"
    alphabet = Array((marks + "aAbBzZ0123456789").unicodeScalars)
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }

  private mutating func scalar() -> Unicode.Scalar { alphabet[below(alphabet.count)] }

  mutating func text() -> String {
    guard below(2) == 0, !seeds.isEmpty else {
      let count = below(40)
      var scalars = String.UnicodeScalarView()
      for _ in 0..<count { scalars.append(scalar()) }
      return String(scalars)
    }
    var scalars = Array(seeds[below(seeds.count)].unicodeScalars)
    for _ in 0...below(4) {
      let place = below(scalars.count + 1)
      switch below(4) {
      case 0: scalars.insert(scalar(), at: place)
      case 1 where place < scalars.count: scalars.remove(at: place)
      case 2 where place < scalars.count: scalars[place] = scalar()
      default: scalars = Array(scalars[place...] + scalars[..<place])
      }
    }
    return String(String.UnicodeScalarView(scalars))
  }
}
