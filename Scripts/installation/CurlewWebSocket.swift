// No server listens here, so the connection fails.
import Curlew
import CurlewWebSocket

let session = try HTTPSession(baseURL: "http://127.0.0.1:1/")
do {
  _ = try await session.webSocket("chat")
} catch let error as NetworkError {
  print(error.kind == .connectionFailed ? "ok:" : "FAILED:", error.kind)
}
