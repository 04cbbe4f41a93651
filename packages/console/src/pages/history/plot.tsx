import { useEffect, useRef } from "preact/hooks";
import UPlot from "uplot";
import { stack } from "./buckets.ts";
import type { Buckets } from "./buckets.ts";

const HEIGHT = 170;

/** Half of the longest moment, in pixels. */
const LABEL_ROOM = 30;

const MINUTE = 60;
const DAY = 86_400;

/** What {@link Plot} needs. */
interface PlotProps {
  readonly title: string;
  readonly buckets: Buckets;
  readonly labelOf: (name: string) => string;
  readonly colourOf: (name: string) => string;
}

/** Endings over time, the kinds on top of each other, with a legend that says the totals in words. */
export function Plot({ title, buckets, labelOf, colourOf }: PlotProps) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = box;
    if (current === null || buckets.times.length === 0) return undefined;
    const plot = draw(current, { buckets, labelOf, colourOf });
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
        {buckets.kinds.map(({ name, total }) => (
          <li key={name}>
            <span class="swatch" style={{ background: colourOf(name) }} aria-hidden="true" />
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

function draw(box: HTMLElement, { buckets, labelOf, colourOf }: Omit<PlotProps, "title">): UPlot {
  const { times, length, kinds } = buckets;
  const ink = getComputedStyle(box).color;
  const axis = { stroke: ink, grid: { stroke: "#8883", width: 1 }, ticks: { show: false }, font: "12px system-ui" };
  // The tallest is drawn first, and what stands below covers it.
  const stacked = stack(kinds).toReversed();
  const series = kinds.map(({ name }) => describeSeries(labelOf(name), colourOf(name)));
  return new UPlot(
    {
      width: box.clientWidth,
      height: HEIGHT,
      // The last moment is written under the right edge, and half of it stands beyond.
      padding: [null, LABEL_ROOM, null, null],
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
