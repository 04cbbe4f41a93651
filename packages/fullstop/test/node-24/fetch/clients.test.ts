import { describeClients } from "../../support/fetch-contract.ts";
import { AI_SDK_CLIENTS } from "../support/fetch-clients.ts";

describeClients(AI_SDK_CLIENTS);
