#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# usage: verilate.sh OUTPUT ""|trace WIDTH…    (inside the tool root)
#
# Verilates rtl/ohca.sv for each width into build/vl/HASH, where HASH covers the RTL, the flags and the tool, so a model
# is built once per content; then links OUTPUT from build/sim and the models. VFLAGS adds Verilator flags (coverage,
# --assert, …), OHCA_TOP and OHCA_RTL replace the top file and the source folder, OHCA_MAIN the objects with main().
# OHCA_CXX is the compiler (clang++ where there is one, as it makes a faster model, else g++), OHCA_CFLAGS replaces its options; both are part of
# HASH. With OHCA_LAYOUT=1 OUTPUT's code is laid out anew by what traffic executes (sim/layout.sh), where BOLT is there:
# 10 s a width, once a model.
set -eu
cd "$(dirname "$0")/.."
top=$PWD
out=$1 mode=$2
shift 2
rtl=${OHCA_RTL:-rtl}
topfile=${OHCA_TOP:-$rtl/ohca.sv}
[ $# -gt 0 ] || { echo "verilate.sh: no width given" >&2; exit 2; }
widths=$*
main=${OHCA_MAIN:-build/sim/main.o}

pico=$(ls build/picorv32/picorv32.v build/picorv32/*/*/picorv32.v build/picorv32/*/picorv32.v 2>/dev/null | head -n 1 || true)
[ -n "$pico" ] || pico=$(find build/picorv32 -name picorv32.v 2>/dev/null | head -n 1 || true)
dirs=$(find "$rtl" -type d | sort)
sources=$(find "$rtl" -type f \( -name '*.sv' -o -name '*.svh' -o -name '*.v' -o -name '*.vlt' \) | sort)
pkgs=$(find "$rtl" -name '*_pkg.sv' | sort)
waivers=$(find "$rtl" -name '*.vlt' | sort)

flags="--cc -O3 --x-assign fast --x-initial unique --assert --output-split 20000 --output-split-cfuncs 2000 -Wno-fatal -Wno-WIDTH -Wno-UNUSEDSIGNAL -Wno-DECLFILENAME -Wno-TIMESCALEMOD --top-module ohca -DOHCA_GATES ${VFLAGS:-}"
cxx=${OHCA_CXX:-$(command -v clang++ >/dev/null && echo clang++ || echo g++)}
cflags=${OHCA_CFLAGS:-"-O2 -fno-exceptions -fstrict-aliasing"}
ldflags=
case $cxx in *clang*) ! command -v ld.lld >/dev/null 2>&1 || ldflags=-fuse-ld=lld ;; esac
command -v "$cxx" >/dev/null || { echo "verilate.sh: no compiler $cxx here" >&2; exit 2; }
compiler=$($cxx --version | head -n 1)
# what else is done below to the code that Verilator writes
key="inputs told, $compiler "
tdef=
if [ "$mode" = trace ]; then
	if [ -e /usr/include/zlib.h ]; then
		flags="$flags --trace-fst --trace-structs" tdef=-DOHCA_TRACE_FST
	else
		echo "verilate: no zlib.h (zlib1g-dev) here: waveforms are VCD, whatever the name of the file"
		flags="$flags --trace-vcd --trace-structs" tdef=-DOHCA_TRACE_VCD
	fi
fi
cov=
case " $flags " in *" --coverage"*) cov=-DOHCA_COVERAGE ;; esac
param=DW
if grep -q 'parameter.*DataWidth' "$topfile"; then param=DataWidth; fi
jobs=${JOBS:-2}
objs= libs= defs="-DOHCA_VERILATED" vlib=
vroot=$(verilator --getenv VERILATOR_ROOT)

for w in $widths; do
	hash=$( { verilator --version; echo "$key$flags $cflags $w $mode"; cat $sources ${pico:+"$pico"} "$topfile"; } | sha256sum | cut -c1-16)
	d=$top/build/vl/top$w-$hash
	# Whoever else wants the same model waits for it.
	mkdir -p "$top/build/vl"
	exec 9>"$d.lock"
	flock 9
	if [ ! -e "$d/.complete" ]; then
		rm -rf "$d.tmp"
		mkdir -p "$d.tmp"
		inc=
		for i in $dirs; do inc="$inc -y $i +incdir+$i"; done
		echo "verilate: $w bits${mode:+, $mode} ($hash)"
		# shellcheck disable=SC2086
		verilator $flags --Mdir "$d.tmp" --prefix Vohca_$w -G$param=$w $inc $waivers $pkgs ${pico:+"$pico"} "$topfile" \
			>"$d.tmp/verilator.log" 2>&1 || { grep -A6 "%Error" "$d.tmp/verilator.log" | head -n 60 >&2; echo "verilate: failed; all messages in $d.tmp/verilator.log" >&2; exit 1; }
		# What follows from inputs without a clock is worked out when model_verilator.cpp says so, not at each call of eval(). Where that needs the
		# values of clocks, too (waveforms, coverage), it is.
		case "$mode $flags" in trace*|*--coverage*) ;; *)
			sed -i '/vlSelfRef\.__VicoFirstIteration = 1U;/d' "$d.tmp"/Vohca_"$w"___024root*.cpp ;;
		esac
		${NICE:-nice -n 5} make -s -j "$jobs" -C "$d.tmp" -f Vohca_$w.mk CXX="$cxx" LINK="$cxx" OPT_FAST="$cflags" OPT_SLOW="-O1" OPT_GLOBAL="-O2" \
			Vohca_${w}__ALL.a libverilated.a >"$d.tmp/make.log" 2>&1 || { tail -n 40 "$d.tmp/make.log" >&2; exit 1; }
		touch "$d.tmp/.complete"
		rm -rf "$d"
		mv "$d.tmp" "$d"
	fi
	model=$d/model-$(cat sim/model_verilator.cpp sim/model.h | sha256sum | cut -c1-16).o
	if [ ! -e "$model" ]; then
		# shellcheck disable=SC2086
		$cxx -std=gnu++17 -O2 -Wall -Wextra $tdef $cov "-DOHCA_BUILT=\"$compiler, $cflags${VFLAGS:+, $VFLAGS}\"" \
			-DOHCA_DW=$w -DOHCA_CLASS=Vohca_$w "-DOHCA_ROOT_H=\"Vohca_${w}___024root.h\"" -I"$d" -Isim -isystem "$vroot/include" \
			-isystem "$vroot/include/vltstd" -c -o "$model.$$" sim/model_verilator.cpp
		mv "$model.$$" "$model"
	fi
	exec 9>&-
	objs="$objs $model"
	libs="$libs $d/Vohca_${w}__ALL.a"
	vlib=$d/libverilated.a
	defs="$defs -DOHCA_WIDTH_$w"
done

layout=
if [ "${OHCA_LAYOUT:-0}" = 1 ] && [ "$mode$cov" = "" ] && sim/layout.sh --can; then layout=1; fi
stamp="$objs $libs${layout:+ laid out $(cat sim/layout.sh tests/bench/*.[ch] | sha256sum | cut -c1-16)}"
if [ -e "$out" ] && [ "$(cat "$out.models" 2>/dev/null)" = "$stamp" ] && [ "$out" -nt build/sim/libohcasim.a ] &&
	[ -z "$(find $main -newer "$out")" ] && [ "$out" -nt sim/model_select.c ]; then
	exit 0
fi
# shellcheck disable=SC2086
cc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -O2 $defs -Isim -c -o "$out.select.o" sim/model_select.c
zlib=; [ "$tdef" != -DOHCA_TRACE_FST ] || zlib=-lz
link() # OUTPUT OBJECT... [OPTION]...
{
	to=$1; shift
	# shellcheck disable=SC2086
	$cxx $ldflags -Wl,-z,max-page-size=2097152 -o "$to" "$@" "$out.select.o" build/sim/libohcasim.a $objs $libs "$vlib" -lm -pthread -latomic $zlib
}
if [ "$layout" ]; then
	# shellcheck disable=SC2086
	link "$out.plain" $main -Wl,--emit-relocs
	train=
	for c in tests/bench/*.c tests/hca/ohv.c; do
		o=$out.$(basename "$c" .c).o
		cc -std=gnu11 -D_GNU_SOURCE -O2 -Iformats -Isim -Itests/hca -c -o "$o" "$c"
		train="$train $o"
	done
	# shellcheck disable=SC2086
	link "$out.train" $train -Wl,--emit-relocs
	for m in $objs; do
		w=${m%/model-*} w=${w##*/top} w=${w%%-*}
		sim/layout.sh --train "$out.train" "${m%/*}" "$w"
	done
	# shellcheck disable=SC2086
	sim/layout.sh "$out.plain" "$out" $objs
	# shellcheck disable=SC2086
	rm -f "$out.plain" "$out.train" $train
else
	# shellcheck disable=SC2086
	link "$out" $main
fi
echo "$stamp" >"$out.models"
echo "linked ${out#"$top"/}"
