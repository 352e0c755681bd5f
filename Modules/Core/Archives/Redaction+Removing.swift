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
      } else if Self.fieldsOfURLs.contains(field.name) {
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
    let fragment = text.firstIndex(of: "#") ?? text.endIndex
    let query = text[..<fragment].firstIndex(of: "?") ?? fragment
    func kept(_ part: Substring) -> String {
      let items = part.dropFirst().split(separator: "&", omittingEmptySubsequences: false)
      let rest = items.filter { item in
        guard let name = secretName(of: item) else { return true }
        removed.append(name)
        return false
      }
      guard rest.count < items.count else { return String(part) }
      return rest.isEmpty ? "" : part.prefix(1) + rest.joined(separator: "&")
    }
    let items = kept(text[query..<fragment])
    return (text[..<query] + items + kept(text[fragment...]), removed)
  }
}
