// A message as a request's body.
import CurlewCore
import CurlewProtobuf
import SwiftProtobuf

let time = Google_Protobuf_Timestamp(seconds: 1)
let body = try Body.protobuf(time)
print("ok:", body.length ?? -1)
