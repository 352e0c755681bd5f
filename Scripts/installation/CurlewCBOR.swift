// A value as CBOR, and back.
import CurlewCBOR

struct Bird: Codable, Equatable { var name: String }

let bird = Bird(name: "Curlew")
let bytes = try CBOREncoder().encode(bird)
print(try CBORDecoder().decode(Bird.self, from: bytes) == bird ? "ok:" : "FAILED:", bytes.count)
