/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * ohca-sim: the fabric simulator.  One process, one clock.  While
 * anything moves, cycles are simulated and sockets are looked at now and then;
 * when nothing does, it sleeps in poll() until a message or the next timer.
 */
#include "control.h"
#include "events.h"
#include "fabric.h"
#include "ids.h"
#include "uplink.h"
#include "record.h"
#include "switch.h"
#include "vfio_user.h"
#include "../formats/ohca_version.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_UPLINKS 16
#define POLL_EVERY 16			/* cycles between looks at busy sockets */
#define SHORT_GAP 256			/* cycles of idleness that are simply skipped */
#define MAX_REST 2000000		/* ns */

static volatile sig_atomic_t stop_signal, stats_signal;

static void on_signal(int sig)
{
	if (sig == SIGUSR1)
		stats_signal = 1;
	else
		stop_signal = sig;
}

struct options {
	struct fabric_config fab;
	const char *socket_dir, *pcap, *events, *stats, *replay, *uplink[MAX_UPLINKS];
	unsigned uplinks;
	bool pcap_fc;
	unsigned vectors;
	uint16_t vendor, device;
	double time_scale;
	uint64_t max_cycles;
};

static const char usage_text[] =
"usage: ohca-sim [OPTION]...\n"
"Simulate a fabric of OpenHCA adapters, each offered to a QEMU guest over vfio-user.\n"
"\n"
"fabric\n"
"  --nodes N            adapters, 1 to 32 (2)\n"
"  --width BITS         data width of the adapters: 64, 128, 256, 512 (64)\n"
"  --topology T         p2p (0-1, 2-3, ...), switch, loopback (each port to itself),\n"
"                       none (no cables)   (p2p for 2 nodes, switch for more)\n"
"  --clock MHZ          device clock (250)\n"
"  --rate GBPS          data rate of the links (width * clock, at most 100; fast: no limit)\n"
"  --link-latency NS    of each link (100; fast: 32)\n"
"  --ports N            ports of the switch (one per node)\n"
"  --lanes N            data VLs of the switch: 1, 2, 4, 8, 15 (4)\n"
"  --threads N          adapters simulated side by side (one, or as many as there are\n"
"                       processors, by what is faster at the time); the results do not\n"
"                       depend on it\n"
"  --seed N             everything random derives from it (1)\n"
"  --firmware FILE      image of the management core (hex)\n"
"  --uplink LOC:REM     cable the next free port to a unix datagram socket LOC; every\n"
"                       datagram is an Ethernet frame, sent to socket REM; repeatable\n"
"                       packet:IF: to a network interface (AF_PACKET); tap:IF: a TAP device\n"
"  --fault RULE         fault on links; may be given many times, see below\n"
"host\n"
"  --socket-dir DIR     vfio-user sockets DIR/node0.sock, DIR/node1.sock, ...\n"
"                       and DIR/control.sock for commands (sim/control.h)\n"
"  --vectors N          MSI-X vectors, 1 to 256 (32)\n"
"  --pci-id VVVV:DDDD   PCI vendor and device id (0ca1:0c01)\n"
"  --timing T           pcie: host and link as a Gen3 x16 slot and a short cable have them;\n"
"                       fast: for runs that are judged by the wall clock, an answer of the\n"
"                       host after a few cycles, no limit to its bandwidth, a link as fast\n"
"                       as the adapter; what is said by an option of its own holds (pcie)\n"
"  --read-latency NS    PCIe read round trip (500; fast: 20)\n"
"  --pcie-rate GBYTES   raw PCIe bandwidth per direction, GB/s (15.75; fast: 1000)\n"
"  --mmio-latency NS    before a register access arrives (0)\n"
"  --no-reorder         read data in the order of the requests\n"
"  --backpressure P     AXI back-pressure, chance per cycle 0..0.9 (0)\n"
"  --write-combine      merge some pairs of waiting 4-byte register writes\n"
"  --time-scale F       how much of the clock's speed guests see: while everything\n"
"                       is idle a second of theirs has F times its cycles, and the\n"
"                       adapter is told so (0.1; 0: jump over idle times at once)\n"
"output\n"
"  --pcap FILE          packets of all links, pcapng\n"
"  --pcap-fc            flow-control packets too\n"
"  --events FILE        register accesses, DMA bursts and interrupts of all adapters, as text\n"
"                       (scripts/timeline.py makes a timeline of it and the capture)\n"
"  --stats FILE         statistics as JSON on exit and on SIGUSR1\n"
"  --trace FILE         waveforms (ohca-sim-trace only); FILE.N.fst per node\n"
"  --record PREFIX      record all pins to PREFIX.0, PREFIX.1, ...\n"
"  --replay FILE        replay a recording, compare the outputs, and exit\n"
"  --cycles N           end after N cycles\n"
"  -v, -q               more messages, fewer messages\n"
"  --help, --version\n"
"\n"
"A fault rule is ACTION[,KEY=VALUE...].\n"
"  ACTION  drop corrupt dup reorder delay error (bad end of packet) mark (ECN)\n"
"  match   link=N dir=0|1 kind=data|ib|eth|fc|any opcode=X qpn=X psn=X dlid=X\n"
"          min=BYTES max=BYTES\n"
"  choose  nth=N every=N prob=P count=N\n"
"  do      bit=N crc=vcrc (corrupt, VCRC made good), by=N (reorder, dup),\n"
"          cycles=N (delay, longest reorder)\n"
"  example --fault drop,link=0,dir=0,opcode=0x0a,nth=3\n";

enum { O_NODES = 256, O_WIDTH, O_TOPO, O_CLOCK, O_RATE, O_LLAT, O_PORTS, O_LANES, O_SEED, O_FW,
       O_FAULT, O_SOCK, O_VECTORS, O_PCIID, O_RLAT, O_PCIE, O_MLAT, O_NOREORDER, O_BP, O_WC,
       O_SCALE, O_PCAP, O_PCAPFC, O_STATS, O_TRACE, O_RECORD, O_REPLAY, O_CYCLES, O_HELP,
       O_VERSION, O_UPLINK, O_THREADS, O_TIMING, O_EVENTS };

static const struct option long_opts[] = {
	{ "nodes", 1, NULL, O_NODES }, { "width", 1, NULL, O_WIDTH },
	{ "topology", 1, NULL, O_TOPO }, { "clock", 1, NULL, O_CLOCK },
	{ "rate", 1, NULL, O_RATE }, { "link-latency", 1, NULL, O_LLAT },
	{ "ports", 1, NULL, O_PORTS }, { "lanes", 1, NULL, O_LANES },
	{ "threads", 1, NULL, O_THREADS }, { "timing", 1, NULL, O_TIMING }, { "events", 1, NULL, O_EVENTS },
	{ "seed", 1, NULL, O_SEED }, { "firmware", 1, NULL, O_FW },
	{ "fault", 1, NULL, O_FAULT }, { "uplink", 1, NULL, O_UPLINK }, { "outside", 1, NULL, O_UPLINK }, { "socket-dir", 1, NULL, O_SOCK },
	{ "vectors", 1, NULL, O_VECTORS }, { "pci-id", 1, NULL, O_PCIID },
	{ "read-latency", 1, NULL, O_RLAT }, { "pcie-rate", 1, NULL, O_PCIE },
	{ "mmio-latency", 1, NULL, O_MLAT }, { "no-reorder", 0, NULL, O_NOREORDER },
	{ "backpressure", 1, NULL, O_BP }, { "write-combine", 0, NULL, O_WC },
	{ "time-scale", 1, NULL, O_SCALE }, { "pcap", 1, NULL, O_PCAP },
	{ "pcap-fc", 0, NULL, O_PCAPFC }, { "stats", 1, NULL, O_STATS },
	{ "trace", 1, NULL, O_TRACE }, { "record", 1, NULL, O_RECORD },
	{ "replay", 1, NULL, O_REPLAY }, { "cycles", 1, NULL, O_CYCLES },
	{ "help", 0, NULL, O_HELP }, { "version", 0, NULL, O_VERSION }, { NULL, 0, NULL, 0 },
};

static double need_number(const char *opt, const char *text, double lo, double hi)
{
	char *end;
	double v = strtod(text, &end);

	if (!*text || *end || !(v >= lo && v <= hi)) {
		fprintf(stderr, "ohca-sim: --%s %s: a number from %g to %g is needed\n", opt, text,
			lo, hi);
		exit(2);
	}
	return v;
}

static uint64_t need_integer(const char *opt, const char *text, uint64_t lo, uint64_t hi)
{
	char *end;
	uint64_t v;

	errno = 0;
	v = strtoull(text, &end, 0);
	if (errno || !*text || *text == '-' || *end || v < lo || v > hi) {
		fprintf(stderr, "ohca-sim: --%s %s: an integer from %llu to %llu is needed\n", opt,
			text, (unsigned long long)lo, (unsigned long long)hi);
		exit(2);
	}
	return v;
}

static void parse(struct options *o, int argc, char **argv)
{
	double llat = -1, rlat = -1, mlat = 0, pcie = -1;
	struct { const char *text; } fault[64];
	unsigned faults = 0, v, d, width = 64;
	bool topo = false, fast = false;
	int c, used;

	memset(o, 0, sizeof(*o));
	fabric_config_default(&o->fab, 2, 64);
	o->vectors = 32;
	o->vendor = OHCA_PCI_VENDOR_ID;
	o->device = OHCA_PCI_DEVICE_ID;
	o->time_scale = 0.1;
	o->max_cycles = UINT64_MAX;
	o->fab.threads = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	o->fab.choose_threads = true;
	while ((c = getopt_long(argc, argv, "vq", long_opts, NULL)) != -1) {
		const char *a = optarg;

		switch (c) {
		case O_NODES: o->fab.nodes = (unsigned)need_integer("nodes", a, 1, FABRIC_MAX_NODES); break;
		case O_WIDTH: width = (unsigned)need_integer("width", a, 64, 512); break;
		case O_TOPO:
			topo = true;
			if (!strcmp(a, "p2p"))
				o->fab.topology = TOPO_P2P;
			else if (!strcmp(a, "switch"))
				o->fab.topology = TOPO_SWITCH;
			else if (!strcmp(a, "loopback"))
				o->fab.topology = TOPO_LOOPBACK;
			else if (!strcmp(a, "none"))
				o->fab.topology = TOPO_NONE;
			else {
				fprintf(stderr, "ohca-sim: --topology %s: p2p, switch, loopback or none\n", a);
				exit(2);
			}
			break;
		case O_CLOCK: o->fab.clock_mhz = (unsigned)need_integer("clock", a, 1, 2000); break;
		case O_RATE: o->fab.rate_gbps = need_number("rate", a, 0.1, 400); break;
		case O_LLAT: llat = need_number("link-latency", a, 0, 1e9); break;
		case O_PORTS: o->fab.switch_ports = (unsigned)need_integer("ports", a, 1, SWITCH_MAX_PORTS); break;
		case O_LANES: o->fab.switch_lanes = (unsigned)need_integer("lanes", a, 1, 15); break;
		case O_THREADS:
			o->fab.threads = (unsigned)need_integer("threads", a, 1, FABRIC_MAX_NODES);
			o->fab.choose_threads = false;
			break;
		case O_TIMING:
			fast = !strcmp(a, "fast");
			if (!fast && strcmp(a, "pcie")) {
				fprintf(stderr, "ohca-sim: --timing %s: pcie or fast\n", a);
				exit(2);
			}
			break;
		case O_SEED: o->fab.seed = need_integer("seed", a, 0, UINT64_MAX); break;
		case O_FW: o->fab.firmware = a; break;
		case O_FAULT:
			if (faults == ARRAY_SIZE(fault)) {
				fprintf(stderr, "ohca-sim: more than %zu fault rules\n", ARRAY_SIZE(fault));
				exit(2);
			}
			fault[faults++].text = a;
			break;
		case O_SOCK: o->socket_dir = a; break;
		case O_UPLINK:
			if (o->uplinks == MAX_UPLINKS) {
				fprintf(stderr, "ohca-sim: more than %d --uplink\n", MAX_UPLINKS);
				exit(2);
			}
			o->uplink[o->uplinks++] = a;
			break;
		case O_VECTORS: o->vectors = (unsigned)need_integer("vectors", a, 1, OHCA_MAX_VECTORS); break;
		case O_PCIID:
			if (sscanf(a, "%4x:%4x%n", &v, &d, &used) != 2 || a[used]) {
				fprintf(stderr, "ohca-sim: --pci-id %s: VVVV:DDDD is needed\n", a);
				exit(2);
			}
			o->vendor = (uint16_t)v;
			o->device = (uint16_t)d;
			break;
		case O_RLAT: rlat = need_number("read-latency", a, 0, 1e6); break;
		case O_PCIE: pcie = need_number("pcie-rate", a, 0.01, 1000); break;
		case O_MLAT: mlat = need_number("mmio-latency", a, 0, 1e6); break;
		case O_NOREORDER: o->fab.axi.reorder = false; break;
		case O_BP: o->fab.axi.backpressure = (unsigned)(need_number("backpressure", a, 0, 0.9) * 65536); break;
		case O_WC: o->fab.axi.combine = true; break;
		case O_SCALE: o->time_scale = need_number("time-scale", a, 0, 1e9); break;
		case O_PCAP: o->pcap = a; break;
		case O_PCAPFC: o->pcap_fc = true; break;
		case O_EVENTS: o->events = a; break;
		case O_STATS: o->stats = a; break;
		case O_TRACE: o->fab.trace = a; break;
		case O_RECORD: o->fab.record = a; break;
		case O_REPLAY: o->replay = a; break;
		case O_CYCLES: o->max_cycles = need_integer("cycles", a, 1, UINT64_MAX); break;
		case 'v': log_threshold++; break;
		case 'q': log_threshold = log_threshold > LOG_ERROR ? log_threshold - 1 : LOG_ERROR; break;
		case O_HELP: fputs(usage_text, stdout); exit(0);
		case O_VERSION: printf("ohca-sim %s, %s model\n", OHCA_VERSION, ohca_model_kind()); exit(0);
		default: fputs("try ohca-sim --help\n", stderr); exit(2);
		}
	}
	if (optind < argc) {
		fprintf(stderr, "ohca-sim: what is '%s'? try ohca-sim --help\n", argv[optind]);
		exit(2);
	}
	for (unsigned i = 0; i < faults; i++) {
		char err[200];
		struct fault *f = fault_parse(fault[i].text, o->fab.seed + i, err, sizeof(err));

		if (!f) {
			fprintf(stderr, "ohca-sim: %s\n", err);
			exit(2);
		}
		fault_append(&o->fab.faults, f);
	}
	if (!topo)
		o->fab.topology = o->fab.nodes > 2 ? TOPO_SWITCH : TOPO_P2P;
	o->fab.axi.data_width = width;
	if (o->socket_dir && o->time_scale > 0)
		o->fab.strap_mhz = (unsigned)fmax(lround(o->fab.clock_mhz * o->time_scale), 1);
	if (llat < 0)
		llat = fast ? 32 : 100;
	if (rlat < 0)
		rlat = fast ? 20 : 500;
	if (pcie < 0)
		pcie = fast ? 1000 : 15.75;
	if (fast) {
		o->fab.axi.read_jitter = 3;
		o->fab.axi.write_latency = 4;
		if (o->fab.rate_gbps <= 0)
			o->fab.rate_gbps = fmin(width * o->fab.clock_mhz / 1000.0, 400);
	}
	o->fab.link_latency = (unsigned)lround(llat * o->fab.clock_mhz / 1000);
	o->fab.axi.read_latency = (unsigned)lround(rlat * o->fab.clock_mhz / 1000);
	o->fab.axi.mmio_latency = (unsigned)lround(mlat * o->fab.clock_mhz / 1000);
	o->fab.axi.rate = (uint64_t)(pcie * 1000 / o->fab.clock_mhz * 65536);
	if (!o->socket_dir && !o->replay && o->max_cycles == UINT64_MAX) {
		fputs("ohca-sim: --socket-dir is needed (or --replay, or --cycles); try ohca-sim --help\n", stderr);
		exit(2);
	}
}

/* ---- statistics ---------------------------------------------------------------- */

struct run {
	struct options *o;
	struct fabric *f;
	struct vfu_server *srv[FABRIC_MAX_NODES];
	struct uplink *out[MAX_UPLINKS];
	struct control *control;
	uint64_t start_ns, asleep_ns;
};

static void write_stats(struct run *r)
{
	struct fabric *f = r->f;
	double wall = (double)(wall_ns() - r->start_ns) / 1e9;
	double busy = wall - (double)r->asleep_ns / 1e9;
	FILE *out;

	if (!r->o->stats)
		return;
	out = fopen(r->o->stats, "w");
	if (!out) {
		log_err("cannot write %s: %s", r->o->stats, strerror(errno));
		return;
	}
#define U(x) (unsigned long long)(x)
	fprintf(out, "{\n \"model\": \"%s\", \"width\": %u, \"nodes\": %u, \"clock_mhz\": %u,\n"
		" \"cycles\": %llu, \"cycles_simulated\": %llu, \"cycles_shared\": %llu, \"virtual_ns\": %.0f,\n"
		" \"wall_s\": %.3f, \"busy_s\": %.3f, \"cycles_per_second\": %.0f,\n \"node\": [\n",
		ohca_model_kind(), f->cfg.axi.data_width, f->nodes, f->cfg.clock_mhz, U(f->cycle),
		U(f->stepped), U(f->shared), fabric_ns(f), wall, busy, busy > 0 ? (double)f->stepped / busy : 0);
	for (unsigned i = 0; i < f->nodes; i++) {
		struct node *n = &f->node[i];
		struct axi_host_stats *a = &n->host.axi.st;
		static const struct vfu_stats none;
		const struct vfu_stats *v = r->srv[i] ? vfu_get_stats(r->srv[i]) : &none;

		fprintf(out, "  {\"rd_bursts\": %llu, \"rd_bytes\": %llu, \"wr_bursts\": %llu, \"wr_bytes\": %llu,\n"
			"   \"mmio_writes\": %llu, \"mmio_reads\": %llu, \"mmio_timeouts\": %llu, \"mmio_errors\": %llu,\n"
			"   \"irqs\": %llu, \"bad_vectors\": %llu, \"dma_faults\": %llu, \"axi_violations\": %llu,\n"
			"   \"dropped_by_reset\": %llu, \"bus_errors\": %llu, \"resets\": %llu,\n"
			"   \"rtl_failures\": %llu, \"tx_beats\": %llu, \"rx_beats\": %llu, \"tx_gaps\": %llu, \"tx_bad_keep\": %llu, \"skips\": %llu, \"slept\": %llu,\n"
			"   \"cycles\": %llu, \"core_cycles\": %llu,\n"
			"   \"vfio_connections\": %llu, \"vfio_messages\": %llu, \"vfio_refused\": %llu,"
			" \"vfio_protocol_errors\": %llu, \"signals\": %llu, \"latched\": %llu, \"part_cycles\": {",
			U(a->rd_bursts), U(a->rd_bytes), U(a->wr_bursts), U(a->wr_bytes), U(a->mmio_writes),
			U(a->mmio_reads), U(a->mmio_timeouts), U(a->mmio_errors), U(a->irqs),
			U(a->bad_vectors), U(a->dma_faults), U(a->axi_violations), U(a->dropped_by_reset),
			U(n->host.axi.dma.bus_errors), U(n->host.resets), U(n->model->failures), U(n->st.tx_beats), U(n->st.rx_beats),
			U(n->st.tx_gaps), U(n->st.tx_bad_keep), U(n->st.skips), U(n->st.slept),
			U(n->st.cycles), U(n->st.core_cycles), U(v->connections),
			U(v->messages), U(v->errors), U(v->protocol_errors), U(v->signals), U(v->latched));
		for (unsigned p = 0; p < n->model->parts; p++)
			fprintf(out, "%s\"%s\": %llu", p ? ", " : "", n->model->part_name[p], U(n->model->part_edges[p]));
		fprintf(out, "}}%s\n", i + 1 < f->nodes ? "," : "");
	}
	fprintf(out, " ],\n \"wire\": [\n");
	for (unsigned i = 0; i < 2 * f->links; i++) {
		struct link *l = &f->link[i / 2];
		struct wire_stats *w = &l->w[i % 2].st;

		fprintf(out, "  {\"name\": \"%s\", \"up\": %s, \"downs\": %llu, \"packets\": %llu, \"bytes\": %llu, \"fc\": %llu,"
			" \"delivered\": %llu, \"lost_down\": %llu, \"giants\": %llu, \"dropped\": %llu, \"corrupted\": %llu,"
			" \"duplicated\": %llu, \"reordered\": %llu, \"delayed\": %llu, \"marked\": %llu, \"errored\": %llu}%s\n",
			l->w[i % 2].name, l->up ? "true" : "false", U(l->downs), U(w->packets), U(w->bytes), U(w->fc),
			U(w->delivered), U(w->lost_down), U(w->giants), U(w->dropped), U(w->corrupted),
			U(w->duplicated), U(w->reordered), U(w->delayed), U(w->marked), U(w->errored),
			i + 1 < 2 * f->links ? "," : "");
	}
	fprintf(out, " ],\n \"switch\": [");
	for (unsigned p = 1; f->sw && p <= ib_switch_ports(f->sw); p++) {
		const struct switch_port_stats *s = ib_switch_stats(f->sw, p);

		fprintf(out, "%s\n  {\"port\": %u, \"rx_packets\": %llu, \"tx_packets\": %llu, \"rx_errors\": %llu,"
			" \"discards\": %llu, \"vl15_dropped\": %llu, \"relay_errors\": %llu, \"xmit_wait\": %llu}",
			p > 1 ? "," : "", p, U(s->rx_packets), U(s->tx_packets), U(s->rx_errors), U(s->discards),
			U(s->vl15_dropped), U(s->relay_errors), U(s->xmit_wait));
	}
	fprintf(out, "\n ],\n \"uplinks\": [");
	for (unsigned i = 0; i < r->o->uplinks; i++) {
		struct uplink_stats *s = &r->out[i]->st;

		fprintf(out, "%s\n  {\"in\": %llu, \"out\": %llu, \"no_peer\": %llu, \"not_ethernet\": %llu, \"too_long\": %llu, \"waits\": %llu}",
			i ? "," : "", U(s->in), U(s->out), U(s->no_peer), U(s->not_ethernet), U(s->too_long), U(s->waits));
	}
	fprintf(out, "\n ],\n \"fault\": [");
	for (struct fault *x = f->cfg.faults; x; x = x->next)
		fprintf(out, "%s\n  {\"rule\": \"%s\", \"matches\": %llu, \"hits\": %llu}",
			x == f->cfg.faults ? "" : ",", x->text, U(x->matches), U(x->hits));
	fprintf(out, "\n ]\n}\n");
	if (fclose(out))
		log_err("cannot write %s: %s", r->o->stats, strerror(errno));
}

/* ---- the loop -------------------------------------------------------------------- */

/* Device time that the wall clock allows while everything is idle. */
struct idle_clock { bool idle; uint64_t wall, cycle; double cycles_per_ns; };

static uint64_t allowed_cycle(const struct idle_clock *c)
{
	return c->cycle + (uint64_t)((double)(wall_ns() - c->wall) * c->cycles_per_ns);
}

/* Waits for a message (timeout < 0: for ever), then handles what has come;
 * true if something had.  The clock first catches up with the time slept. */
static bool look_at_sockets(struct run *r, int64_t timeout_ns, const struct idle_clock *c,
			    uint64_t until)
{
	bool came = false;
	struct pollfd pfd[FABRIC_MAX_NODES * VFU_POLLFDS + MAX_UPLINKS + 1];
	unsigned fds;
	struct timespec ts = { 0, 0 };
	unsigned n = 0;

	for (unsigned i = 0; i < r->f->nodes; i++) {
		if (!r->srv[i])
			continue;
		vfu_poll_prepare(r->srv[i], &pfd[n * VFU_POLLFDS]);
		if (vfu_stalled(r->srv[i]))
			timeout_ns = 0;
		n++;
	}
	fds = n * VFU_POLLFDS;
	for (unsigned i = 0; i < r->o->uplinks; i++)
		pfd[fds++] = (struct pollfd){ .fd = r->out[i]->fd, .events = POLLIN };
	if (r->control)
		pfd[fds++] = (struct pollfd){ .fd = r->control->fd, .events = POLLIN };
	if (timeout_ns > 0) {
		ts.tv_sec = (time_t)(timeout_ns / 1000000000);
		ts.tv_nsec = (long)(timeout_ns % 1000000000);
	}
	if (ppoll(pfd, fds, timeout_ns < 0 ? NULL : &ts, NULL) < 0) {
		for (unsigned i = 0; i < fds; i++)
			pfd[i].revents = 0;
		if (errno != EINTR)
			log_err("poll: %s", strerror(errno));
	}
	if (c) {
		uint64_t to = allowed_cycle(c);

		if (to > until)
			to = until;
		if (to > r->f->cycle + 8)
			fabric_skip(r->f, to);
	}
	for (unsigned i = 0; i < fds; i++)
		came |= pfd[i].revents != 0;
	if (r->control && pfd[fds - 1].revents)
		control_receive(r->control, r->f);
	for (unsigned i = 0; i < r->o->uplinks; i++)
		if (pfd[n * VFU_POLLFDS + i].revents)
			uplink_receive(r->out[i], r->f->cycle);
	n = 0;
	for (unsigned i = 0; i < r->f->nodes; i++)
		if (r->srv[i])
			vfu_poll_done(r->srv[i], &pfd[n++ * VFU_POLLFDS]);
	return came;
}

static void loop(struct run *r)
{
	struct fabric *f = r->f;
	double scale = r->o->socket_dir ? r->o->time_scale : 0;
	struct idle_clock c = { .cycles_per_ns = scale * f->cfg.clock_mhz / 1000.0 };
	uint64_t since_look = 0, awake_ns = wall_ns();
	bool by_message = true;

	while (!stop_signal && f->cycle < r->o->max_cycles) {
		uint64_t until = fabric_idle_until(f), t0;
		int64_t wait = -1;

		if (stats_signal) {
			stats_signal = 0;
			write_stats(r);
		}
		if (until <= f->cycle + 8) {
			c.idle = false;
			fabric_advance(f, POLL_EVERY);
			if (r->o->socket_dir)
				look_at_sockets(r, 0, NULL, 0);
			continue;
		}
		if (until > r->o->max_cycles)
			until = r->o->max_cycles;
		if (!r->o->socket_dir || (scale <= 0 && until != UINT64_MAX) ||
		    until - f->cycle <= SHORT_GAP) {
			/* no guest and no uplink sets the pace, or it is not worth a sleep:
			 * straight to the next event */
			if (until == UINT64_MAX)
				break;
			fabric_skip(f, until);
			if (r->o->socket_dir && ++since_look % POLL_EVERY == 0)
				look_at_sockets(r, 0, NULL, 0);
			continue;
		}
		/* device time runs at the wall clock's pace while idle */
		if (!c.idle) {
			c.idle = true;
			c.wall = wall_ns();
			c.cycle = f->cycle;
			fabric_flush(f);
		}
		t0 = wall_ns();
		if (until != UINT64_MAX) {
			double ns = (double)(until - f->cycle) / c.cycles_per_ns;

			wait = ns > 1e12 ? (int64_t)1e12 : (int64_t)ns + 1;
			if (!by_message) {
				/* Only the device's own timers tick (flow control, say):
				 * rest as long as they kept us busy, so that
				 * they never take the processor from the guests. */
				int64_t rest = (int64_t)(t0 - awake_ns);

				if (rest > MAX_REST)
					rest = MAX_REST;
				if (wait < rest)
					wait = rest;
			}
		}
		by_message = look_at_sockets(r, wait, scale > 0 ? &c : NULL, until);
		awake_ns = wall_ns();
		r->asleep_ns += awake_ns - t0;
	}
}

static int do_replay(struct options *o)
{
	struct replay_result res;

	if (!replay_file(o->replay, ohca_model_create, o->fab.trace, o->fab.firmware, 0, &res))
		return 2;
	printf("replayed %llu cycles: ", (unsigned long long)res.cycles);
	if (res.mismatches)
		printf("outputs differ in %llu cycles, first in cycle %llu (%s)\n",
		       (unsigned long long)res.mismatches, (unsigned long long)res.first_cycle,
		       res.first_pin);
	else
		printf("outputs equal%s\n", res.truncated ? "; the recording is cut short" : "");
	return res.mismatches ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct options o;
	struct run r = { .o = &o };
	struct sigaction sa;
	double wall, busy;
	int rc = 0;
	struct events *events = NULL;

	parse(&o, argc, argv);
	if (o.replay)
		return do_replay(&o);
	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_signal;
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);

	if (o.pcap) {
		o.fab.pcap = pcapng_open(o.pcap, 1000.0 / o.fab.clock_mhz, o.pcap_fc);
		if (!o.fab.pcap)
			return 1;
	}
	r.f = fabric_create(&o.fab);
	if (!r.f) {
		pcapng_close(o.fab.pcap);
		return 1;
	}
	if (o.events) {
		events = events_open(o.events, 1000.0 / o.fab.clock_mhz);
		rc = !events;
		for (unsigned i = 0; i < r.f->nodes; i++) {
			r.f->node[i].host.axi.events = events;
			r.f->node[i].host.axi.node = i;
		}
	}
	if (o.socket_dir && mkdir(o.socket_dir, 0777) && errno != EEXIST) {
		log_err("cannot make %s: %s", o.socket_dir, strerror(errno));
		rc = 1;
	}
	for (unsigned i = 0; !rc && o.socket_dir && i < r.f->nodes; i++) {
		char path[4096];
		struct vfu_config vc = {
			.path = path, .name = r.f->node[i].name, .vendor = o.vendor,
			.device = o.device, .serial = r.f->node[i].in.strap_guid,
			.vectors = o.vectors,
		};

		snprintf(path, sizeof(path), "%s/node%u.sock", o.socket_dir, i);
		r.srv[i] = vfu_create(&vc, &r.f->node[i].host);
		if (!r.srv[i])
			rc = 1;
	}
	if (!rc && o.socket_dir) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/control.sock", o.socket_dir);
		r.control = control_open(path);
		if (!r.control)
			rc = 1;
	}
	for (unsigned i = 0; !rc && i < o.uplinks; i++) {
		r.out[i] = uplink_open(o.uplink[i]);
		if (r.out[i])
			r.out[i]->to_fabric = fabric_attach_uplink(r.f, uplink_send, r.out[i]);
		if (!r.out[i] || !r.out[i]->to_fabric)
			rc = 1;
	}
	if (!rc) {
		if (o.socket_dir) {
			printf("ohca-sim: ready, %u node%s, sockets in %s\n", r.f->nodes,
			       r.f->nodes > 1 ? "s" : "", o.socket_dir);
			fflush(stdout);
		}
		r.start_ns = wall_ns();
		loop(&r);
		wall = (double)(wall_ns() - r.start_ns) / 1e9;
		busy = wall - (double)r.asleep_ns / 1e9;
		write_stats(&r);
		printf("ohca-sim: %llu cycles (%.3f ms of device time), %llu simulated in %.2f s busy of %.2f s: %.0f device cycles per second, %u node%s\n",
		       (unsigned long long)r.f->cycle, fabric_ns(r.f) / 1e6,
		       (unsigned long long)r.f->stepped, busy, wall,
		       busy > 0 ? (double)r.f->stepped / busy : 0, r.f->nodes,
		       r.f->nodes > 1 ? "s" : "");
	}
	for (unsigned i = 0; i < r.f->nodes; i++) {
		if (r.f->node[i].model->failures) {
			log_err("node%u: %llu assertions of the RTL failed", i,
				(unsigned long long)r.f->node[i].model->failures);
			rc = 3;
		}
		vfu_destroy(r.srv[i]);
		r.srv[i] = NULL;
	}
	for (unsigned i = 0; i < o.uplinks; i++)
		uplink_close(r.out[i]);
	control_close(r.control);
	fabric_destroy(r.f);
	events_close(events);
	pcapng_close(o.fab.pcap);
	fault_free(o.fab.faults);
	return rc;
}
