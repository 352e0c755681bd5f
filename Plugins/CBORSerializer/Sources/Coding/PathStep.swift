/// The last step of a coding path, linked to the steps before it.
///
/// An array of keys would be copied for each element, and so take quadratic time in nested items.
final class PathStep {
  private let key: any CodingKey
  private let previous: PathStep?
  /// The number of steps.
  let count: Int

  init(_ key: any CodingKey, after previous: PathStep?) {
    self.key = key
    self.previous = previous
    count = (previous?.count ?? 0) + 1
  }

  var path: [any CodingKey] {
    var path: [any CodingKey] = []
    var next: PathStep? = self
    while let step = next {
      path.append(step.key)
      next = step.previous
    }
    return path.reversed()
  }
}

extension CodingKey {
  /// The integer that stands for the key in a map; nil if its text does.
  ///
  /// The standard library gives the text keys of dictionaries an integer too, where one can be read from it: "007" and "7" would both
  /// become 7. Such a text is a key of its own.
  var mapInteger: Int? {
    guard let intValue else { return nil }
    return Int(stringValue) == nil || stringValue == String(intValue) ? intValue : nil
  }
}
