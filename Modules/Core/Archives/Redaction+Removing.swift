import FoundationEssentials
import HTTPTypes

extension Redaction {
  /// Removes secrets from header fields, and returns the names of what it removed.
  ///
  /// These are the fields that hold secrets, and the secret parts of fields that hold URLs.
  func removeSecrets(from fields: inout HTTPFields) -> [String] {
    var removed: [String] = []
    var kept = HTTPFields()
    for field in fields {
      if self.fields.contains(field.name) {
        removed.append(field.name.canonicalName)
      } else if Self.hasURL(field.name) {
        let (text, items) = withoutSecrets(field.value)
        removed += items
        kept.append(HTTPField(name: field.name, value: text))
      } else {
        kept.append(field)
      }
    }
    if !removed.isEmpty { fields = kept }
    return removed
  }

  /// Removes secrets from a URL, and returns the names of what it removed.
  ///
  /// These are user information and the secret items of query and fragment.
  func removeSecrets(from url: inout URL) -> [String] {
    let (text, removed) = withoutSecrets(url.absoluteString)
    guard !removed.isEmpty else { return [] }
    // If a URL no longer parses without its secrets, it is omitted entirely.
    url = URL(string: text) ?? URL(filePath: "/")
    return removed
  }

  private func withoutSecrets(_ reference: String) -> (text: String, removed: [String]) {
    var text = reference
    var removed: [String] = []
    if let userInformation = userInformation(in: text) {
      text.removeSubrange(userInformation)
      removed.append("user")
    }
    var kept = ""
    // Without a query or fragment that was removed whole, its `?` or `#` goes too.
    for item in Self.items(of: text) {
      if let name = secretName(of: item.text) {
        removed.append(name)
        if item.separator == "?" || item.separator == "#" { kept += item.separator }
      } else if kept.hasSuffix("?") || kept.hasSuffix("#"), item.separator == "&" || item.separator == ";" {
        kept += item.text
      } else {
        if kept.hasSuffix("?"), item.separator == "#" { kept.removeLast() }
        kept += item.separator + item.text
      }
    }
    if !removed.isEmpty, kept.hasSuffix("?") || kept.hasSuffix("#") { kept.removeLast() }
    return (kept, removed)
  }
}
