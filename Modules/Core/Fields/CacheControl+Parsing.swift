import HTTPTypes

extension CacheControl {
  /// Reads a field value, or several that were joined; it never fails.
  public init(_ value: String) {
    self.init()
    take(value)
  }

  mutating func take(_ value: String) {
    let bytes = value.utf8Span.span
    var elements = FieldList(value).makeIterator()
    var count = 0
    while count < Self.maximumDirectives, let element = elements.nextRange() {
      count += 1
      if let directive = Directive(bytes.extracting(element)) { take(directive) }
    }
  }

  private mutating func take(_ directive: Directive) {
    // The frequent directives come first, because each name costs a comparison of lengths.
    switch directive.name {
    case "max-age": maxAge = maxAge ?? directive.seconds ?? 0
    case "no-store": noStore = true
    case "no-cache": noCache = Self.stricter(noCache, directive.reach)
    case "private": onlyPrivate = Self.stricter(onlyPrivate, directive.reach)
    case "public": isPublic = isPublic || directive.isBare
    case "must-revalidate": mustRevalidate = true
    case "immutable": immutable = immutable || directive.isBare
    case "s-maxage": sharedMaxAge = sharedMaxAge ?? directive.seconds ?? 0
    case "stale-while-revalidate": staleWhileRevalidate = staleWhileRevalidate ?? directive.seconds
    case "stale-if-error": staleIfError = staleIfError ?? directive.seconds
    case "min-fresh": minFresh = minFresh ?? directive.seconds ?? DeltaSeconds.largest
    case "max-stale": maxStale = maxStale ?? directive.staleness
    case "no-transform": noTransform = true
    case "only-if-cached": onlyIfCached = true
    case "proxy-revalidate": proxyRevalidate = true
    case "must-understand": mustUnderstand = mustUnderstand || directive.isBare
    default:
      if extensions[directive.name.text] == nil {
        extensions.append(FieldParameter(name: directive.name.text, value: directive.value ?? ""))
      }
    }
  }

  private static func stricter(_ present: Reach?, _ added: Reach) -> Reach {
    guard case .fields(let some)? = present, case .fields(let more) = added else {
      return present == nil ? added : .response
    }
    let names = some + more.filter { !some.contains($0) }
    return names.count <= maximumDirectives ? .fields(names) : .response
  }
}

/// A directive as sent.
private struct Directive {
  /// A name in lower case.
  struct Name {
    let text: String

    /// Compares the lengths first, because two unequal strings take long to compare.
    static func ~= (known: String, name: Name) -> Bool {
      name.text.utf8.count == known.utf8.count && name.text == known
    }
  }

  let name: Name
  /// The value without quotes; nil without `=`.
  let value: String?
  /// Whether text follows that does not match the grammar.
  let isMalformed: Bool

  init?(_ bytes: Span<UInt8>) {
    var index = 0
    FieldSyntax.skipToken(bytes, &index)
    guard index > 0 else { return nil }
    name = Name(text: String(lowercasing: bytes, 0..<index))
    guard FieldSyntax.skip(0x3D, bytes, &index) else {
      value = nil
      isMalformed = index < bytes.count
      return
    }
    if index < bytes.count, bytes[index] == 0x22 {
      let quoted = FieldSyntax.quotedString(bytes, &index)
      value = quoted.value
      isMalformed = !quoted.terminated || index < bytes.count
    } else {
      let start = index
      FieldSyntax.skipToken(bytes, &index)
      value = String(copying: bytes, start..<index)
      isMalformed = index == start || index < bytes.count
    }
  }

  /// Whether the directive has no value.
  var isBare: Bool { value == nil && !isMalformed }

  var seconds: Int64? {
    guard let value, !isMalformed else { return nil }
    return DeltaSeconds.parse(value)
  }

  var staleness: CacheControl.Staleness? {
    if isBare { return .any }
    return seconds.map { .seconds($0) }
  }

  /// The affected fields; a list without a usable name means the whole response.
  var reach: CacheControl.Reach {
    guard let value, !isMalformed else { return .response }
    var names: [HTTPField.Name] = []
    for element in FieldList(value) {
      guard names.count < CacheControl.maximumDirectives, let name = HTTPField.Name(String(element))
      else { return .response }
      if !names.contains(name) { names.append(name) }
    }
    return names.isEmpty ? .response : .fields(names)
  }
}
