// A request as a curl command, and an archive as a page.
import CurlewCore
import CurlewHAR
import FoundationEssentials

let request = try Request(.get, "https://example.com/birds/7?token=secret")
let archive = #"{"log":{"version":"1.2","creator":{"name":"a","version":"1"},"entries":[]}}"#
let page = HARPage(try HARDocument(Data(archive.utf8)), title: "birds").html
print(request.curlCommand.hasSuffix("token=<redacted>'") ? "ok:" : "FAILED:", page.count)
