// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// usage: anneal NETLIST RESULT TEMPERATURE MOVES COOLING END SEED     shorter wires for a placed ECP5 netlist, by simulated annealing
//
// nextpnr ends its placement with moves that are taken only when they shorten something. This takes worse ones too, at first, and finds wires
// shorter by a fifth. It keeps to what nextpnr asks of a tile: its eight LUTs and eight flops have one clock and reset (set), the two flops of a
// slice one enable; carry chains and LUT RAM stay in the order and in the lanes in which they came.
//
// NETLIST and RESULT are numbers in text, written and read by scripts/placement.py. The cost is the sum over all nets of half the perimeter of their
// pins, in tiles, times what nets of that many pins take more (Cheng's factors), dearer where more wires are wanted than a tile has, and a price for
// tiles with many pins; TEMPERATURE and END are in that unit, MOVES is a step's number of moves for each thing that moves, and after each step the
// temperature is multiplied by COOLING.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

using std::max;
using std::min;
using std::swap;
using std::vector;

enum Kind { COMB, FLOP, RAMW, BLOCK_RAM, FIXED };                // of a cell
enum Shape { LUT, FF, PAIR, MACRO, EBR, STILL };                 // of a unit: cells that move together; PAIR is a LUT and the flop behind it

struct Cell {
	int16_t x, y;
	int lane;                       // in the tile; of a block RAM its site
	int unit;
	int kind;
	int tile_set, slice_set;        // flops: what all of a tile, of a slice share
	int first, last;                // its nets in net_of
};
struct Unit {
	vector<int> cells;
	Shape shape;
	int root;                       // the cell at its lowest place
	int lanes;                      // of a macro: LUTs
};
struct Box {                        // of a net; for large ones also how many pins are at each edge
	int16_t x0, x1, y0, y1;
	int at_x0, at_x1, at_y0, at_y1;
	float cost;
};
struct Move { int cell; int16_t x, y; };                          // a cell and where it was
struct Exchange { int a, b; bool comb, ff; };                     // of two slots (tile * 8 + lane)

static int width, height;
static vector<Cell> cells;
static vector<Unit> units;
static vector<int> pins, first_pin, net_of;
static vector<Box> box, trial;
static vector<float> factor;
static vector<uint32_t> seen;
static vector<char> rescan;
static vector<int> tile_at, tile_x, tile_y, comb, ff, ramw, site_x, site_y, in_site;
static vector<Move> moves;
static vector<Exchange> done;
static vector<int> touched;
static double temperature, cost;
static long tried, accepted;

static vector<int> crowd;           // by tile: pins of what is in it
static double crowd_free;           // what costs nothing
static const double CROWD = 0.02;

// What a tile's wires cost more, as in a router that negotiates: it rises, step by step, while the nets over a tile want more than LIMIT (a tile of
// the ECP5 has wires for some 170 tiles of length, of which a router finds two thirds), and falls when they want less; it stays in the last steps.
static vector<float> price;
static vector<double> price_sum;    // of all tiles above and to the left
static const double LIMIT = 88, PRICE_RISE = 0.5, PRICE_MOST = 8;
static double densest, beyond;

static const int SMALL = 12;        // nets of so many pins are looked at as a whole

static uint64_t state[2];

static uint64_t random64()
{
	uint64_t a = state[0], b = state[1];
	state[0] = b;
	a ^= a << 23;
	state[1] = a ^ b ^ (a >> 17) ^ (b >> 26);
	return state[1] + b;
}

static int below(int n) { return int((random64() & 0xffffffff) * uint64_t(n) >> 32); }
static double chance() { return double(random64() >> 11) * 0x1p-53; }

// C. E. Cheng, "RISA: accurate and efficient placement routability modeling": how much longer than half its perimeter a net of n pins becomes.
static float net_factor(int n)
{
	static const float few[] = {0, 1, 1, 1, 1.0828f, 1.1536f, 1.2206f, 1.2823f, 1.3385f, 1.3991f, 1.4493f};
	static const float more[] = {1.4493f, 1.6899f, 1.8924f, 2.0743f, 2.2334f, 2.3895f, 2.5356f, 2.6625f, 2.7933f};
	if (n <= 10)
		return few[n];
	if (n >= 50)
		return 2.7933f + 0.02616f * float(n - 50);
	int i = n / 5 - 2;
	return more[i] + (more[i + 1] - more[i]) * float(n % 5) / 5;
}

static bool is_small(int net) { return first_pin[net + 1] - first_pin[net] <= SMALL; }

static float length(int net, const Box &b) { return factor[net] * float(b.x1 - b.x0 + b.y1 - b.y0); }

static void set_cost(int net, Box &b)
{
	const double *top = &price_sum[size_t(b.y0 * (width + 1))], *bottom = &price_sum[size_t((b.y1 + 1) * (width + 1))];
	double sum = bottom[b.x1 + 1] - bottom[b.x0] - top[b.x1 + 1] + top[b.x0];
	b.cost = length(net, b) * (1 + float(sum) / float((b.x1 - b.x0 + 1) * (b.y1 - b.y0 + 1)));
}

static void extend(int16_t v, int16_t &low, int &at_low, int16_t &high, int &at_high)
{
	if (v < low)
		low = v, at_low = 1;
	else if (v == low)
		at_low++;
	if (v > high)
		high = v, at_high = 1;
	else if (v == high)
		at_high++;
}

static void scan(int net, Box &b)
{
	int i = first_pin[net], end = first_pin[net + 1];
	const Cell &c = cells[pins[i++]];
	b.x0 = b.x1 = c.x;
	b.y0 = b.y1 = c.y;
	b.at_x0 = b.at_x1 = b.at_y0 = b.at_y1 = 1;
	if (is_small(net)) {
		for (; i < end; i++) {
			const Cell &p = cells[pins[i]];
			b.x0 = min(b.x0, p.x);
			b.x1 = max(b.x1, p.x);
			b.y0 = min(b.y0, p.y);
			b.y1 = max(b.y1, p.y);
		}
	} else {
		for (; i < end; i++) {
			const Cell &p = cells[pins[i]];
			extend(p.x, b.x0, b.at_x0, b.x1, b.at_x1);
			extend(p.y, b.y0, b.at_y0, b.y1, b.at_y1);
		}
	}
	set_cost(net, b);
}

// One coordinate of a pin of a large net goes from `from` to `to`. False when only a scan tells where the edge is then.
static bool follow(int16_t from, int16_t to, int16_t &low, int &at_low, int16_t &high, int &at_high)
{
	if (from == to)
		return true;
	if ((from == low && at_low == 1 && to > low) || (from == high && at_high == 1 && to < high))
		return false;
	at_low -= from == low;
	at_high -= from == high;
	extend(to, low, at_low, high, at_high);
	return at_low > 0 && at_high > 0;
}

static int tile_of(const Cell &c) { return tile_at[c.y * width + c.x]; }
static bool in_macro(int slot) { return comb[slot] >= 0 && units[cells[comb[slot]].unit].shape == MACRO; }
static bool is_pair(int slot) { return comb[slot] >= 0 && ff[slot] >= 0 && cells[comb[slot]].unit == cells[ff[slot]].unit; }

static void put(int cell, int slot)
{
	if (cell < 0)
		return;
	Cell &c = cells[cell];
	moves.push_back({cell, c.x, c.y});
	c.x = int16_t(tile_x[slot / 8]);
	c.y = int16_t(tile_y[slot / 8]);
	c.lane = slot % 8;
}

static void exchange(const Exchange &e)
{
	if (e.comb) {
		swap(comb[e.a], comb[e.b]);
		put(comb[e.a], e.a);
		put(comb[e.b], e.b);
	}
	if (e.ff) {
		swap(ff[e.a], ff[e.b]);
		put(ff[e.a], e.a);
		put(ff[e.b], e.b);
	}
	done.push_back(e);
}

static void exchange_ramw(int a, int b)
{
	swap(ramw[a], ramw[b]);
	put(ramw[a], a * 8 + 4);
	put(ramw[b], b * 8 + 4);
}

static void undo()
{
	for (size_t i = done.size(); i-- > 0;) {
		const Exchange &e = done[i];
		if (e.comb)
			swap(comb[e.a], comb[e.b]);
		if (e.ff)
			swap(ff[e.a], ff[e.b]);
		for (int slot : {e.a, e.b}) {
			if (comb[slot] >= 0)
				cells[comb[slot]].lane = slot % 8;
			if (ff[slot] >= 0)
				cells[ff[slot]].lane = slot % 8;
		}
	}
	for (size_t i = moves.size(); i-- > 0;) {
		cells[moves[i].cell].x = moves[i].x;
		cells[moves[i].cell].y = moves[i].y;
	}
}

static bool flops_agree(int tile)
{
	int set = -1;
	for (int s = tile * 8; s < tile * 8 + 8; s += 2) {
		int a = ff[s], b = ff[s + 1];
		if (a >= 0 && b >= 0 && cells[a].slice_set != cells[b].slice_set)
			return false;
		for (int f : {a, b}) {
			if (f < 0)
				continue;
			if (set >= 0 && set != cells[f].tile_set)
				return false;
			set = cells[f].tile_set;
		}
	}
	return true;
}

// What the moves that were made cost.
static double difference()
{
	static uint32_t now;
	now++;
	touched.clear();
	for (const Move &m : moves) {
		const Cell &c = cells[m.cell];
		for (int i = c.first; i < c.last; i++) {
			int n = net_of[i];
			Box &b = trial[n];
			if (seen[n] != now) {
				seen[n] = now;
				touched.push_back(n);
				rescan[n] = is_small(n);
				if (!rescan[n])
					b = box[n];
			}
			if (!rescan[n])
				rescan[n] = !follow(m.x, c.x, b.x0, b.at_x0, b.x1, b.at_x1) || !follow(m.y, c.y, b.y0, b.at_y0, b.y1, b.at_y1);
		}
	}
	double d = 0;
	for (int n : touched) {
		if (rescan[n])
			scan(n, trial[n]);
		else
			set_cost(n, trial[n]);
		d += trial[n].cost - box[n].cost;
	}
	return d;
}

// A tile has only so many wires in: beyond what it would have if all had the same, and some more, pins cost by the square.
static double crowd_cost(int pins_there) { double over = pins_there - crowd_free; return over > 0 ? CROWD * over * over : 0; }

static double shift_crowd(int sign)
{
	double d = 0;
	for (const Move &m : moves) {
		const Cell &c = cells[m.cell];
		int from = tile_at[m.y * width + m.x], to = tile_of(c), n = sign * (c.last - c.first);
		if (from == to || from < 0 || to < 0)
			continue;
		d += crowd_cost(crowd[from] - n) - crowd_cost(crowd[from]) + crowd_cost(crowd[to] + n) - crowd_cost(crowd[to]);
		crowd[from] -= n;
		crowd[to] += n;
	}
	return d;
}

static bool accept()
{
	double d = difference() + shift_crowd(1);
	tried++;
	if (d > 0 && (temperature == 0 || chance() >= exp(-d / temperature))) {
		shift_crowd(-1);
		return false;
	}
	for (int n : touched)
		box[n] = trial[n];
	cost += d;
	accepted++;
	return true;
}

// A tile for a unit: near to where it is, or, half of the time, near to a pin of one of its nets. -1: none there.
static int aim(const Unit &u, double reach)
{
	const Cell *c = &cells[u.root];
	if (chance() < 0.5) {
		const Cell &from = cells[u.cells[below(int(u.cells.size()))]];
		if (from.last > from.first) {
			int n = net_of[from.first + below(from.last - from.first)], count = first_pin[n + 1] - first_pin[n];
			if (count <= 40) {
				c = &cells[pins[first_pin[n] + below(count)]];
				reach = min(reach, 2.0);
			}
		}
	}
	int r = int(reach);
	int x0 = max(0, c->x - r), x1 = min(width - 1, c->x + r), y0 = max(0, c->y - r), y1 = min(height - 1, c->y + r);
	return tile_at[(y0 + below(y1 - y0 + 1)) * width + x0 + below(x1 - x0 + 1)];
}

// A LUT, a flop or both change places with what is in the first lane of the target, from a random one on, where that is allowed.
static void move_single(const Unit &u, double reach)
{
	const Cell &c = cells[u.root];
	int here = tile_of(c), there = aim(u, reach), a = here * 8 + c.lane;
	if (there < 0 || there == here)
		return;
	int start = below(8);
	for (int i = 0; i < 8; i++) {
		int b = there * 8 + (start + i) % 8;
		bool whole = u.shape == PAIR || is_pair(b);
		if (in_macro(b) && (whole || u.shape != FF))
			continue;
		if (whole && in_macro(a))
			continue;
		moves.clear();
		done.clear();
		exchange({a, b, whole || u.shape == LUT, whole || u.shape == FF});
		if ((whole || u.shape == FF) && (!flops_agree(here) || !flops_agree(there))) {
			undo();
			continue;
		}
		if (!accept())
			undo();
		return;
	}
}

// A carry chain or a LUT RAM changes places, with the flops in its lanes, with another of its size or with lanes that are in none.
static void move_macro(const Unit &u, double reach)
{
	const Cell &c = cells[u.root];
	int here = tile_of(c), there = aim(u, reach), tiles = (u.lanes + 7) / 8;
	if (there < 0 || there == here || (c.y == tile_y[there] && abs(c.x - tile_x[there]) < tiles))
		return;
	bool ram = ramw[here] >= 0, same = false;
	if (int o = comb[there * 8]; o >= 0) {
		const Unit &other = units[cells[o].unit];
		same = other.shape == MACRO && other.root == o && other.lanes == u.lanes && (ramw[there] >= 0) == ram;
	}
	moves.clear();
	done.clear();
	vector<Exchange> todo;
	vector<int> changed;
	for (int j = 0; j < tiles; j++) {
		if (tile_x[there] + j >= width)
			return;
		int from = tile_at[c.y * width + c.x + j], to = tile_at[tile_y[there] * width + tile_x[there] + j];
		if (to < 0 || (!same && ram && ramw[to] >= 0))
			return;
		changed.insert(changed.end(), {from, to});
		for (int l = 0; l < 8 && j * 8 + l < u.lanes; l++) {
			if (!same && in_macro(to * 8 + l))
				return;
			todo.push_back({from * 8 + l, to * 8 + l, true, true});
		}
	}
	for (const Exchange &e : todo)
		exchange(e);
	if (ram)
		exchange_ramw(here, there);
	bool good = std::all_of(changed.begin(), changed.end(), flops_agree);
	if (!good || !accept()) {
		if (ram)
			swap(ramw[here], ramw[there]);
		undo();
	}
}

static void move_block_ram(const Unit &u, double reach)
{
	int me = u.root, a = cells[me].lane, b = below(int(site_x.size())), other = in_site[b];
	if (a == b || max(abs(site_x[a] - site_x[b]), abs(site_y[a] - site_y[b])) > max(2 * reach, 16.0))
		return;
	auto settle = [](int cell, int site) {
		in_site[site] = cell;
		if (cell < 0)
			return;
		Cell &c = cells[cell];
		moves.push_back({cell, c.x, c.y});
		c.x = int16_t(site_x[site]);
		c.y = int16_t(site_y[site]);
		c.lane = site;
	};
	moves.clear();
	done.clear();
	settle(me, b);
	settle(other, a);
	if (!accept()) {
		settle(me, a);
		settle(other, b);
		moves.resize(moves.size() / 2);
		undo();
	}
}

// How many wires are wanted over each tile: of a net its length, spread evenly over its box. With `change`, new prices by that.
static void set_prices(bool change)
{
	int stride = width + 1;
	vector<double> want(size_t(stride * (height + 1)));
	for (size_t n = 0; n < box.size(); n++) {
		const Box &b = box[n];
		double part = length(int(n), b) / double((b.x1 - b.x0 + 1) * (b.y1 - b.y0 + 1));
		want[b.y0 * stride + b.x0] += part;
		want[(b.y1 + 1) * stride + b.x0] -= part;
		want[b.y0 * stride + b.x1 + 1] -= part;
		want[(b.y1 + 1) * stride + b.x1 + 1] += part;
	}
	densest = beyond = 0;
	for (int y = 0; y < height; y++) {
		double row = 0, priced = 0;
		for (int x = 0; x < width; x++) {
			row += want[y * stride + x];
			double here = want[y * stride + x] = row + (y ? want[(y - 1) * stride + x] : 0);
			float &p = price[y * width + x];
			if (change)
				p = float(min(PRICE_MOST, max(0.0, p + PRICE_RISE * (here / LIMIT - 1))));
			priced += p;
			price_sum[(y + 1) * stride + x + 1] = price_sum[y * stride + x + 1] + priced;
			densest = max(densest, here);
			beyond += max(0.0, here - LIMIT);
		}
	}
}

static double wires()
{
	double sum = 0;
	for (const Box &b : box)
		sum += b.x1 - b.x0 + b.y1 - b.y0;
	return sum;
}

static double total()
{
	double sum = 0;
	for (size_t n = 0; n < box.size(); n++) {
		scan(int(n), box[n]);
		sum += box[n].cost;
	}
	for (int n : crowd)
		sum += crowd_cost(n);
	return sum;
}

static int number(FILE *f)
{
	int v;
	if (fscanf(f, "%d", &v) != 1) {
		fprintf(stderr, "anneal: the netlist ends early\n");
		exit(1);
	}
	return v;
}

static void read(FILE *f)
{
	width = number(f);
	height = number(f);
	int tiles = number(f), sites = number(f), n_cells = number(f), n_nets = number(f), n_units = number(f);
	tile_at.assign(size_t(width * height), -1);
	for (int i = 0; i < tiles; i++) {
		tile_x.push_back(number(f));
		tile_y.push_back(number(f));
		tile_at[tile_y[i] * width + tile_x[i]] = i;
	}
	for (int i = 0; i < sites; i++) {
		site_x.push_back(number(f));
		site_y.push_back(number(f));
	}
	in_site.assign(size_t(sites), -1);
	comb.assign(size_t(tiles * 8), -1);
	ff = comb;
	ramw.assign(size_t(tiles), -1);
	units.resize(size_t(n_units));
	vector<char> macro(units.size());
	for (int i = 0; i < n_cells; i++) {
		Cell c{};
		c.kind = number(f);
		c.x = int16_t(number(f));
		c.y = int16_t(number(f));
		c.lane = number(f);
		c.unit = number(f);
		macro[c.unit] |= char(number(f));
		c.tile_set = number(f);
		c.slice_set = number(f);
		units[c.unit].cells.push_back(i);
		if (c.kind == COMB)
			comb[tile_of(c) * 8 + c.lane] = i;
		else if (c.kind == FLOP)
			ff[tile_of(c) * 8 + c.lane] = i;
		else if (c.kind == RAMW)
			ramw[tile_of(c)] = i;
		else if (c.kind == BLOCK_RAM)
			in_site[c.lane] = i;
		cells.push_back(c);
	}
	for (size_t i = 0; i < units.size(); i++) {
		Unit &u = units[i];
		bool lut = false, flop = false;
		u.root = u.cells[0];
		for (int k : u.cells) {
			const Cell &c = cells[k], &r = cells[u.root];
			lut |= c.kind == COMB;
			flop |= c.kind == FLOP;
			u.lanes += c.kind == COMB;
			if (c.kind == COMB && (r.kind != COMB || c.x < r.x || (c.x == r.x && c.lane < r.lane)))
				u.root = k;
		}
		int kind = cells[u.root].kind;
		u.shape = kind == FIXED ? STILL : kind == BLOCK_RAM ? EBR : macro[i] ? MACRO : lut && flop ? PAIR : flop ? FF : LUT;
		if (u.shape == MACRO && cells[u.root].lane != 0) {
			fprintf(stderr, "anneal: a macro does not begin in lane 0\n");
			exit(1);
		}
	}
	vector<vector<int>> nets(cells.size());
	for (int n = 0; n < n_nets; n++) {
		first_pin.push_back(int(pins.size()));
		int count = number(f);
		for (int i = 0; i < count; i++) {
			int k = number(f);
			pins.push_back(k);
			nets[k].push_back(n);
		}
		factor.push_back(net_factor(count));
	}
	first_pin.push_back(int(pins.size()));
	for (size_t i = 0; i < cells.size(); i++) {
		cells[i].first = int(net_of.size());
		net_of.insert(net_of.end(), nets[i].begin(), nets[i].end());
		cells[i].last = int(net_of.size());
	}
	crowd.assign(size_t(tiles), 0);
	for (const Cell &c : cells)
		if (int t = c.kind == BLOCK_RAM || c.kind == FIXED ? -1 : tile_of(c); t >= 0)
			crowd[t] += c.last - c.first;
	crowd_free = 1.1 * std::accumulate(crowd.begin(), crowd.end(), 0.0) / tiles;
	price.assign(size_t(width * height), 0);
	price_sum.assign(size_t((width + 1) * (height + 1)), 0);
	box.resize(size_t(n_nets));
	trial = box;
	seen.assign(box.size(), 0);
	rescan.assign(box.size(), 0);
}

int main(int argc, char **argv)
{
	FILE *f = argc == 8 ? fopen(argv[1], "r") : nullptr;
	if (!f) {
		fprintf(stderr, "usage: anneal NETLIST RESULT TEMPERATURE MOVES COOLING END SEED\n");
		return 2;
	}
	temperature = atof(argv[3]);
	double per_step = atof(argv[4]), cooling = atof(argv[5]), end = atof(argv[6]), reach = 30, last = INFINITY;
	state[0] = uint64_t(atoi(argv[7])) * 7919 + 1;
	state[1] = 88172645463325252u;
	read(f);
	fclose(f);
	vector<int> of[STILL + 1], singles;
	for (size_t u = 0; u < units.size(); u++)
		of[units[u].shape].push_back(int(u));
	for (Shape s : {LUT, FF, PAIR})
		singles.insert(singles.end(), of[s].begin(), of[s].end());
	cost = total();
	printf("%zu nets, %zu LUTs and flops, %zu chains and LUT RAMs, %zu block RAMs: cost %.0f, wires %.0f\n",
	       box.size(), singles.size(), of[MACRO].size(), of[EBR].size(), cost, wires());
	auto start = std::chrono::steady_clock::now();
	auto any = [](const vector<int> &v) -> const Unit & { return units[v[below(int(v.size()))]]; };
	// Block RAMs alone, all over the part: nextpnr's analytic placer ends where they were before it found sites for them.
	double begin = temperature;
	for (temperature *= 40; temperature > begin && !of[EBR].empty(); temperature *= cooling)
		for (size_t i = 100 * of[EBR].size(); i > 0; i--)
			move_block_ram(any(of[EBR]), width);
	temperature = begin;
	cost = total();
	printf("block RAMs moved: cost %.0f, wires %.0f\n", cost, wires());
	for (int step = 0;; step++) {
		tried = accepted = 0;
		if (temperature < end)
			temperature = 0;
		for (long i = long(per_step * double(units.size())); i > 0; i--) {
			int which = below(400);
			if (which < 24 && !of[MACRO].empty())
				move_macro(any(of[MACRO]), max(reach, 3.0));
			else if (which == 24 && !of[EBR].empty())
				move_block_ram(any(of[EBR]), reach);
			else if (!singles.empty())
				move_single(any(singles), reach);
		}
		set_prices(temperature > 0);
		cost = total();                                 // without what rounding has added
		double rate = tried ? double(accepted) / double(tried) : 0;
		double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
		printf("step %d temperature %.3f reach %.0f cost %.0f wires %.0f densest %.0f beyond %.0f accepted %.3f seconds %.0f\n",
		       step, temperature, reach, cost, wires(), densest, beyond, rate, s);
		fflush(stdout);
		// The last steps take nothing worse, until that brings nothing.
		if (temperature == 0 && cost > last * 0.999)
			break;
		last = temperature == 0 ? cost : last;
		reach = min(double(width), max(1.0, reach * (1 - 0.44 + rate)));
		temperature *= cooling;
	}
	f = fopen(argv[2], "w");
	if (!f)
		return 1;
	for (const Cell &c : cells)
		fprintf(f, "%d %d %d\n", c.x, c.y, c.lane);
	return fclose(f) != 0;
}
