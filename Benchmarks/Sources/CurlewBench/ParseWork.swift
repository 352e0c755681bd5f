import FoundationEssentials

/// One way to parse a document.
struct ParseWork {
  let name: String
  let parse: (Data) throws -> Void
}
