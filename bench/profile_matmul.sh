#!/bin/sh
# Where the time of a 2048 x 2048 x 2048 matmul (HiFi2, 110 cores, one thread) goes, by symbol, as JSON for kerr-bench --markdown.
#   bench/profile_matmul.sh build/release/kerr > matmul.json            needs perf (Debian: linux-perf)
set -e
kerr=${1:?usage: bench/profile_matmul.sh path/to/kerr}
data=$(mktemp)
trap 'rm -f "$data"' EXIT
perf record -q -F 1000 -e cpu-clock -o "$data" "$kerr" matmul 2048 2048 2048 --cores 110 --threads 1 >&2
perf report -q -i "$data" --no-children --percent-limit 0 --stdio --sort sym -F sample,sym 2>/dev/null | awk '
  function group(s) {
    if (s ~ /check_matmul|random_matrix|to_tiles|from_tiles|graph::|jobs::/) return "host: operands, tiles, check against float64"
    if (s ~ /MultiplyFast|MultiplyAny|N_[A-Z0-9_]*::Split|SrcBank::split/) return "MVMUL: arithmetic"
    if (s ~ /tensix::Fpu|dot_product|dot_kernels|DstBlock|check_modifier|Rwc::|RowCounter/) return "MVMUL: the instruction around it"
    if (s ~ /Coprocessor|tensix::dispatch|FrontEnd|MopExpander|ReplayExpander|isa::tensix|SyncUnit|WaitGate|ConfigUnit|MiscUnit|ScalarUnit/) return "coprocessor: front end, issue, configuration"
    if (s ~ /npack|Pack|pack|gather|write_src|aim|locate/) return "unpackers and packer"
    if (s ~ /Hart::|PollWatch|ClockForms|AddressMap|StreamRegisters|CodeCache|SyncWindow|Mailboxes|tensix::Windows/) return "harts and their registers"
    if (s ~ /Agents|Tile::|Machine::|Worker|TileTable/) return "tiles, windows"
    if (s ~ /Niu|Inbox|Outbox|Message|Server|Sparse|mem(move|cpy|set)|malloc|free|operator new|unlink_chunk|noc/) return "NoC, DRAM, copies, their memory"
    if (s ~ /\[k\]/) return "kernel: pages of memory touched first"
    return "other"
  }
  $1 ~ /^[0-9]+$/ { total += $1; samples[group($0)] += $1 }
  END {
    printf "{\"profile\": \"matmul 2048 x 2048 x 2048, HiFi2, 110 cores, one thread\", \"groups\": ["
    n = split("MVMUL: arithmetic|MVMUL: the instruction around it|coprocessor: front end, issue, configuration|unpackers and packer|harts and their registers|tiles, windows|NoC, DRAM, copies, their memory|kernel: pages of memory touched first|other|host: operands, tiles, check against float64", order, "|")
    for (i = 1; i <= n; ++i) printf "%s{\"name\": \"%s\", \"seconds\": %.3f}", (i == 1 ? "" : ", "), order[i], samples[order[i]] / 1000
    printf "]}\n"
  }'
