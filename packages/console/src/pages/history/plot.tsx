import { useEffect, useRef } from "preact/hooks";
import UPlot from "uplot";
import { stack } from "./buckets.ts";
import type { Buckets } from "./buckets.ts";

/** Told apart also by those who do not see all colours, and on both backgrounds. */
const COLOURS = ["#5b5bd6", "#12a594", "#e5a50a", "#d6409f", "#3e93de", "#8d8d8d", "#e54d2e", "#7c66dc"];

const HEIGHT = 170;

const MINUTE = 60;
const DAY = 86_400;

/** What {@link Plot} needs. */
interface PlotProps {
  readonly title: string;
  readonly buckets: Buckets;
  readonly labelOf: (name: string) => string;
}

/** Endings over time, the kinds on top of each other, with a legend that says the totals in words. */
export function Plot({ title, buckets, labelOf }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = box;
    if (current === null || buckets.times.length === 0) return undefined;
    const plot = draw(current, buckets, labelOf);
    const size = new ResizeObserver(() => plot.setSize({ width: current.clientWidth, height: HEIGHT }));
    size.observe(current);
    return () => {
      size.disconnect();
      plot.destroy();
    };
  }, [buckets]);
  return (
    <figure class="plot card">
      <figcaption>{title}</figcaption>
      <div ref={box} class="plot-box" aria-hidden="true" />
      <ul class="legend">
        {buckets.kinds.map(({ name, total }, index) => (
          <li key={name}>
            <span class="swatch" style={{ background: colourOf(index) }} aria-hidden="true" />
            {labelOf(name)} <span class="quiet">{total}</span>
          </li>
        ))}
      </ul>
    </figure>
  );
}

/** A moment as precisely as buckets of a length need it. */
function describeMoment(seconds: number, length: number): string {
  const moment = new Date(seconds * 1000);
  if (length >= DAY) return moment.toLocaleDateString(undefined, { day: "numeric", month: "short" });
  const hour = { hour: "2-digit", minute: "2-digit", hour12: false } as const;
  return moment.toLocaleTimeString(undefined, length >= MINUTE ? hour : { ...hour, second: "2-digit" });
}

function colourOf(index: number): string {
  return COLOURS[index % COLOURS.length] ?? "#888888";
}

function draw(box: HTMLElement, { times, length, kinds }: Buckets, labelOf: (name: string) => string): UPlot {
  const ink = getComputedStyle(box).color;
  const axis = { stroke: ink, grid: { stroke: "#8883", width: 1 }, ticks: { show: false }, font: "12px system-ui" };
  // The tallest is drawn first, and what stands below covers it.
  const stacked = stack(kinds).toReversed();
  const series = kinds.map(({ name }, index) => describeSeries(labelOf(name), colourOf(index)));
  return new UPlot(
    {
      width: box.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      scales: {
        // The last bar begins at the last time and needs room behind it.
        x: { range: [times[0] ?? 0, (times.at(-1) ?? 0) + length] },
        y: { range: (_plot, _least, most) => [0, Math.max(4, most * 1.1)] },
      },
      axes: [
        {
          ...axis,
          size: 30,
          space: 90,
          values: (_plot, moments) => moments.map((moment) => describeMoment(moment, length)),
        },
        { ...axis, size: 36, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] },
      ],
      series: [{}, ...series.toReversed()],
    },
    [[...times], ...stacked],
    box,
  );
}

function describeSeries(label: string, colour: string): UPlot.Series {
  const bars = UPlot.paths.bars?.({ size: [0.8, 40], align: 1 });
  const series = { label, fill: colour, stroke: colour, width: 0, points: { show: false } };
  return bars === undefined ? series : { ...series, paths: bars };
}
