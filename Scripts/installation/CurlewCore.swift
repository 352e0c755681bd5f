// A request without a transport, as a transport's own package sees it.
import CurlewCore

let request = try Request(.get, "https://example.com/bird.json")
print(try request.origin.host == "example.com" ? "ok:" : "FAILED:", request.method)
