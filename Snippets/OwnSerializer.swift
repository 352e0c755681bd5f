// A serializer of your own, for comma-separated values. Status, type, size and errors are looked after.

import CurlewCore
import CurlewSerialization
import FoundationEssentials

struct CSVResponseSerializer: ResponseSerializer {
  var validation = ResponseValidation(mediaTypes: [.csv])

  func serialize(_ head: ResponseHead?, _ body: Data) throws -> [[String]] {
    let text = try CharsetDecoder.string(body, as: head?.charset ?? .utf8)
    return text.split(whereSeparator: \.isNewline).map { line in
      line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
  }
}

let rows = try CSVResponseSerializer().output(of: nil, Data("curlew,2\nheron,3".utf8))
print(rows)
