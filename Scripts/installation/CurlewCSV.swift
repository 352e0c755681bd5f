// Values as CSV, and back.
import CurlewCSV

struct Bird: Codable, Equatable { var name: String }

let birds = [Bird(name: "Curlew"), Bird(name: "Knot, red")]
let bytes = try CSVEncoder().encode(birds)
print(try CSVDecoder().decode([Bird].self, from: bytes) == birds ? "ok:" : "FAILED:", bytes.count)
