extension JSONNumber: Hashable {
  /// Returns true when both have the same decimal value, however they are written.
  public static func == (left: JSONNumber, right: JSONNumber) -> Bool {
    if case .decimal(let leftDigits, let leftLayout) = left.storage,
      case .decimal(let rightDigits, let rightLayout) = right.storage,
      leftLayout == rightLayout
    {
      return leftDigits == rightDigits
    }
    return left.normalForm == right.normalForm
  }

  /// Hashes the decimal value, so that equal numbers have equal hashes.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(normalForm)
  }

  var normalForm: NormalDecimal {
    switch storage {
    case .decimal(let significand, let layout):
      NormalDecimal(significand: significand, exponent: layout.exponent, isNegative: layout.isNegative)
    case .text(let text):
      NormalDecimal(text: text)
    }
  }
}
