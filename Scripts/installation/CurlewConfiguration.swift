// A timeout from a variable of the environment.
import Configuration
import Curlew
import CurlewConfiguration

let provider = EnvironmentVariablesProvider(environmentVariables: ["BIRDS_TIMEOUT_TOTAL": "1.5"])
var configuration = SessionConfiguration()
try configuration.apply(ConfigReader(provider: provider).scoped(to: "birds"))
print(configuration.options.timeouts.total == .milliseconds(1500) ? "ok:" : "FAILED:", "1.5 s")
