import { render } from "preact";
import { stopOrders } from "./api/stop-orders.ts";
import { App } from "./app.tsx";

// Whichever page is looked at: what runs on is paid for.
stopOrders.resume();

const root = document.querySelector("#app");
if (root !== null) render(<App />, root);
