// A signed URL; nothing is sent.
import CurlewAWSSignature
import CurlewCore

let signature = try AWSSignature(for: ["https://birds.example"], region: "eu-central-1") {
  AWSCredentials(accessKeyID: "AKID", secretAccessKey: "secret")
}
let url = try await signature.presignedURL(for: Request(.get, "https://birds.example/curlew.jpg"))
print(url.absoluteString.contains("X-Amz-Signature=") ? "ok:" : "FAILED:", url.absoluteString.count)
