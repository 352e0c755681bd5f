// The work of Benchmarks/Peers with Go's net/http and its defaults.
//
//	go-peer get|record URL COUNT INFLIGHT | download URL FILE | text URL
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
)

type record struct {
	ID        int      `json:"id"`
	Name      string   `json:"name"`
	Tags      []string `json:"tags"`
	Sightings []struct {
		Place       string  `json:"place"`
		Count       int     `json:"count"`
		Latitude    float64 `json:"latitude"`
		IsConfirmed bool    `json:"isConfirmed"`
	} `json:"sightings"`
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func open(url string) io.ReadCloser {
	response, err := http.Get(url)
	check(err)
	if response.StatusCode != 200 {
		check(fmt.Errorf("the status is %d", response.StatusCode))
	}
	return response.Body
}

func body(url string) []byte {
	stream := open(url)
	defer stream.Close()
	bytes, err := io.ReadAll(stream)
	check(err)
	return bytes
}

func repeated(count, inFlight int, once func()) {
	var group sync.WaitGroup
	for index := 0; index < inFlight; index++ {
		share := count / inFlight
		if index < count%inFlight {
			share++
		}
		group.Add(1)
		go func() {
			defer group.Done()
			for i := 0; i < share; i++ {
				once()
			}
		}()
	}
	group.Wait()
}

func main() {
	task, url, rest := os.Args[1], os.Args[2], os.Args[3:]
	switch task {
	case "get", "record":
		count, err := strconv.Atoi(rest[0])
		check(err)
		inFlight, err := strconv.Atoi(rest[1])
		check(err)
		repeated(count, inFlight, func() {
			bytes := body(url)
			if task == "get" {
				if len(bytes) != 1000 {
					check(fmt.Errorf("the body had %d bytes instead of 1,000", len(bytes)))
				}
				return
			}
			var value record
			check(json.Unmarshal(bytes, &value))
			if value.ID != 7 || len(value.Sightings) != 10 {
				check(fmt.Errorf("the record has other values than the file"))
			}
		})
	case "download":
		stream := open(url)
		defer stream.Close()
		file, err := os.Create(rest[0])
		check(err)
		_, err = io.Copy(file, stream)
		check(err)
		check(file.Close())
	case "text":
		fmt.Println(string(body(url)))
	}
}
