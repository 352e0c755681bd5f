# Sourced by Scripts/bench. Curlew's default path beside other clients, which do the same work with their defaults. Each program is
# measured as a whole process, so that Swift, C, Python and Go count alike.

peers_built=$PWD/Benchmarks/Peers/.build/release
peers_result=${CURLEW_BENCH_FILES:-}/peers.tsv

# Builds what there is on this machine, and prints the names of the peers.
build_peers() {
  swift build -c release --package-path Benchmarks/Peers </dev/null >&2 || return
  echo curlew async-http-client urlsession
  ! command -v curl >/dev/null || echo curl
  [ -z "$(aiohttp_python)" ] || echo aiohttp
  ! command -v go >/dev/null || ! (cd Benchmarks/Peers/Go && go build -o "$peers_built/go-peer" . >&2) || echo go
}

# A Python that has aiohttp; nothing where it cannot be had.
aiohttp_python() {
  local place=$PWD/Benchmarks/Peers/.build/aiohttp
  [ -x "$place/bin/python" ] || python3 -m venv "$place" >/dev/null 2>&1 || return 0
  "$place/bin/python" -c 'import aiohttp' 2>/dev/null || "$place/bin/pip" -q install aiohttp >/dev/null 2>&1 || return 0
  echo "$place/bin/python"
}

# peer_command PEER get|record URL COUNT INFLIGHT, PEER download URL FILE, or PEER text URL: puts the command into `command`.
# Fails for work that the peer does not do.
peer_command() {
  local peer=$1 task=$2 url=$3
  shift 3
  case $peer in
    curl)
      case $task in
        get) command=(curl -q -s -f -o /dev/null "$url?[1-$1]"); [ "$2" = 1 ] || command+=(-Z --parallel-max "$2") ;;
        download) command=(curl -q -s -f -o "$1" "$url") ;;
        text) command=(curl -q -s -f "$url") ;;
        *) return 1 ;;
      esac ;;
    aiohttp) command=("$(aiohttp_python)" "$PWD/Scripts/peers/aiohttp-peer.py" "$task" "$url" "$@") ;;
    curlew-8.14) command=(env "LD_LIBRARY_PATH=$peers_libcurl" "$peers_built/curlew-peer" "$task" "$url" "$@") ;;
    *) command=("$peers_built/$peer-peer" "$task" "$url" "$@") ;;
  esac
}

# start_command PEER URL: the smallest program that GETs one record.
start_command() {
  case $1 in
    curlew) command=("$CURLEW_BENCH_FILES/get-with-umbrella" "$2") ;;
    async-http-client | urlsession) command=("$CURLEW_BENCH_FILES/get-with-$1" "$2") ;;
    *) peer_command "$1" text "$2" ;;
  esac
}

# Runs a command that finds the test authority among the system's anchors, which is where every client looks.
with_anchor() {
  SSL_CERT_FILE=$CURLEW_BENCH_FILES/anchors.pem unshare "$peers_unshare" sh -c \
    'mount --bind "$SSL_CERT_FILE" /etc/ssl/certs/ca-certificates.crt && exec "$@"' sh "$@"
}

# record_figures TASK PEER COUNT COMMAND…: adds a line to the results unless the command fails.
record_figures() {
  local task=$1 peer=$2 count=$3 line
  shift 3
  if line=$("$bench" measure "$@" 2>&1 >/dev/null) && line=$(grep '^measured ' <<<"$line"); then
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$task" "$peer" "$count" "$(value wall "$line")" "$(value cpu_s "$line")" \
      "$(value rss_mb "$line")" >>"$peers_result"
  else
    echo "FAILED $task with $peer: $line"
  fi
}

part_peers() {
  local peers peer round name command url=$CURLEW_NGINX_HTTP/no-store secure=$CURLEW_NGINX_TLS/no-store
  peers=$(build_peers)
  build_footprints
  mkdir -p Modules/Curlew/Curlew.docc/Resources
  : >"$peers_result"
  for round in $(seq "$rounds"); do
    for peer in $peers; do
      peer_command "$peer" get "$url/1k" 2000 1 && record_figures turn "$peer" 2000 "${command[@]}"
      peer_command "$peer" get "$url/1k" 10000 32 && record_figures crowd "$peer" 10000 "${command[@]}"
      ! peer_command "$peer" record "$url/record.json" 10000 32 || record_figures record "$peer" 10000 "${command[@]}"
      peer_command "$peer" download "$url/1g" "$CURLEW_BENCH_FILES/result" && record_figures file "$peer" 1 "${command[@]}"
      cmp "$CURLEW_BENCH_FILES/result" "$CURLEW_BENCH_FILES/1g" || echo "FAILED file with $peer: the bytes differ"
      rm -f "$CURLEW_BENCH_FILES"/result*
      for _ in 1 2 3 4; do start_command "$peer" "$url/record.json" && record_figures start "$peer" 1 "${command[@]}"; done
    done
    peers_over_tls
  done
  for name in umbrella async-http-client urlsession; do
    printf 'size\t%s\t%s\t0\t0\t0\n' "${name/umbrella/curlew}" "$(stat -c %s "$CURLEW_BENCH_FILES/get-with-$name")" >>"$peers_result"
  done
  python3 Scripts/peers/plot-peers.py "$peers_result" Modules/Curlew/Curlew.docc/Resources/peers.svg --title \
    "$(date -u +%F), $(sed -n 's/^model name.*: //p' /proc/cpuinfo | sed -n 1p), $(nproc) cores, commit $(measured_commit)"
}

# The commit, with a mark if what is measured was changed since.
measured_commit() {
  local commit
  commit=$(git rev-parse --short HEAD)
  git diff --quiet HEAD -- Modules Benchmarks Package.swift || commit+=" with changes"
  echo "$commit"
}

# GETs over TLS with what each client negotiates; Curlew also on libcurl 8.14.1, from which on it offers HTTP/2 by itself.
peers_over_tls() {
  local all=$peers
  peers_unshare=-m
  unshare -m true 2>/dev/null || peers_unshare=-rm
  unshare "$peers_unshare" true 2>/dev/null || { echo "skipped TLS: this needs a mount namespace"; return; }
  cat /etc/ssl/certs/ca-certificates.crt "$CURLEW_NGINX_CA" >"$CURLEW_BENCH_FILES/anchors.pem"
  ! peers_libcurl=$(Scripts/test-libcurl --path 2>/dev/null) || all+=" curlew-8.14"
  export -f with_anchor
  export peers_unshare
  for peer in $all; do
    peer_command "$peer" get "$secure/1k" 10000 32
    record_figures tls "$peer" 10000 bash -c 'with_anchor "$@"' bash "${command[@]}"
    [ "$round" = 1 ] || continue
    peer_command "$peer" text "$CURLEW_NGINX_TLS/protocol"
    printf 'protocol\t%s\t%s\t0\t0\t0\n' "$peer" "$(with_anchor "${command[@]}" | sed -n 1p)" >>"$peers_result"
  done
}
