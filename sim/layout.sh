#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# usage: layout.sh --can                            whether BOLT is here, and firmware to run
#        layout.sh --train PROGRAM FOLDER WIDTH     count what the benchmark PROGRAM executes with the model in FOLDER, once
#        layout.sh PLAIN OUTPUT MODEL.o...          OUTPUT is PLAIN with its code laid out by what was counted for these models
#
# Called by verilate.sh inside the tool root. A model's code is long, and little of it runs: BOLT puts what runs side by side, and branches so
# that they are seldom taken. Both programs are linked with --emit-relocs. The counts stay beside the model, in FOLDER/layout-HASH.fdata, where
# HASH covers what ran. Without them, or if BOLT fails, OUTPUT is PLAIN.
set -eu
cd "$(dirname "$0")/.."
bolt=$(command -v llvm-bolt-19 || true)
[ -z "$bolt" ] || bolt=$(readlink -f "$bolt")	# it looks for its library by its path
merge=$(command -v merge-fdata-19 || true)
key=$(cat sim/layout.sh tests/bench/*.[ch] tests/hca/ohv.c | sha256sum | cut -c1-16)
case $1 in
--can)
	[ "$bolt" ] && [ "$merge" ] && [ -e build/firmware/ohca_fw.hex ]
	exit ;;
--train)
	program=$2 counts=$3/layout-$key.fdata width=$4
	exec 9>"$3.lock"
	flock 9
	[ ! -e "$counts" ] || exit 0
	if "$bolt" "$program" --instrument --instrumentation-file="$counts.new" -o "$program.counts" >"$3/layout.log" 2>&1 &&
		OHCA_SMALL_PAGES=1 timeout 300 "$program.counts" -w "$width" -c train -n "train-$width" >>"$3/layout.log" 2>&1; then
		mv "$counts.new" "$counts"
	else
		rm -f "$counts.new"
		echo "layout: nothing counted for $width bits: $3/layout.log" >&2
	fi
	rm -f "$program.counts"
	exit 0 ;;
esac
plain=$1 out=$2
shift 2
have=
for m in "$@"; do
	[ ! -e "${m%/*}/layout-$key.fdata" ] || have="$have ${m%/*}/layout-$key.fdata"
done
# shellcheck disable=SC2086
if [ "$have" ] && "$merge" $have >"$out.fdata" 2>"$out.layout.log" &&
	"$bolt" "$plain" -o "$out.new" --data="$out.fdata" --reorder-blocks=ext-tsp --reorder-functions=hfsort --split-functions --split-all-cold \
		--icf=1 >>"$out.layout.log" 2>&1; then
	mv "$out.new" "$out"
else
	echo "layout: ${out#"$PWD"/} is as the linker made it${have:+: $out.layout.log}" >&2
	cp "$plain" "$out.new"
	mv "$out.new" "$out"
fi
rm -f "$out.fdata" "$out.new"
